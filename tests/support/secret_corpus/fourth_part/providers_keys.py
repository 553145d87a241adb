"""Private keys, seeds and signed tokens."""

from __future__ import annotations

TEMPLATE = r"""
§§ rsa private key | RFC 7468, RFC 8017
§ certs/server.key
‹begin RSA PRIVATE KEY›
⟦‹wrap MIIEowIBAAKCAQEA 1580›⟧
‹end RSA PRIVATE KEY›
§ wiki/vpn.md
# VPN

Save as `client.key`, then `chmod 600`:

```
‹begin PRIVATE KEY›
⟦‹wrap MIIEvgIBADANBgkqhkiG9w0BAQEFAASC 1560›⟧
‹end PRIVATE KEY›
```
§ config/application.yml
jwt:
  signing-key: |
    ‹begin EC PRIVATE KEY›
    ⟦‹wrap MHcCAQEEI 160›⟧
    ‹end EC PRIVATE KEY›
  issuer: lumen

§§ ssh private key | https://github.com/openssh/openssh-portable/blob/master/PROTOCOL.key
§ .ssh/id_ed25519_deploy
‹begin OPENSSH PRIVATE KEY›
⟦‹wrap b3BlbnNzaC1rZXktdjEAAAAABG5vbmU 330›⟧
‹end OPENSSH PRIVATE KEY›
§ ansible/roles/deploy/vars/main.yml
deploy_user: www
deploy_key: "‹begin OPENSSH PRIVATE KEY›\n⟦‹join ‹wrap b3BlbnNzaC1rZXktdjEAAAAA 330››⟧\n‹end OPENSSH PRIVATE KEY›\n"

§§ pgp private key | RFC 9580
§ release/signing.asc
‹begin PGP PRIVATE KEY BLOCK›

⟦‹wrap lQPGBGVx 1900›⟧
=‹alnum 4›
‹end PGP PRIVATE KEY BLOCK›

§§ age key | https://github.com/FiloSottile/age
§ .config/sops/age/keys.txt
# created: 2024-05-11T10:22:31+02:00
# public key: age1‹bech32 58›
⟦AGE-SECRET-KEY-1‹BECH32 58›⟧
§ notes/sops.md
Restore on a new machine: `export SOPS_AGE_KEY=⟦AGE-SECRET-KEY-1‹BECH32 58›⟧`

§§ wireguard key | https://www.wireguard.com/quickstart/
§ etc/wireguard/wg0.conf
[Interface]
Address = 10.7.0.2/32
PrivateKey = ⟦‹bytes64 32›⟧

[Peer]
PublicKey = ‹bytes64 32›
PresharedKey = ⟦‹bytes64 32›⟧
Endpoint = vpn.lumen.example:51820
§ nixos/wireguard.nix
{
  networking.wireguard.interfaces.wg0 = {
    ips = [ "10.100.0.1/24" ];
    privateKey = "⟦‹bytes64 32›⟧";
  };
}

§§ wallet key | https://ethereum.org/en/developers/docs/accounts/
§ hardhat.config.js
module.exports = {
  solidity: "0.8.24",
  networks: {
    mainnet: { url: "https://rpc.lumen.example", accounts: ["⟦0x‹hex 64›⟧"] },
  },
};
§ contracts/.env
RPC_URL=https://eth.lumen.example
PRIVATE_KEY=⟦‹hex 64›⟧
DEPLOYER=0x‹hex 40›
§ money/wallet.md
Address: bc1q‹bech32 38›
Seed phrase: ⟦‹passphrase 12›⟧

§§ one-time password seed | RFC 6238, https://github.com/google/google-authenticator/wiki/Key-Uri-Format
§ 2fa.md
- registrar: otpauth://totp/Registrar:ops?secret=⟦‹base32 32›⟧&issuer=Registrar
§ team/mfa.yml
accounts:
  - name: aws-root
    totp_secret: ⟦‹base32 32›⟧

§§ web token | RFC 7519
§ http/requests.http
GET https://api.lumen.example/v2/orders
Accept: application/json
Authorization: Bearer ⟦‹jwt admin›⟧
§ e2e/state.json
{"origins": [{"origin": "https://app.lumen.example",
 "localStorage": [{"name": "access_token", "value": "⟦‹jwt member›⟧"}]}]}
§ logs/gateway.log
2025-01-14 09:12:01 DEBUG upstream request GET /me headers={"authorization": "Bearer ⟦‹jwt support›⟧"}
"""
