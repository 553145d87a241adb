"""Secrets in prose and notes in Japanese and Chinese."""

from __future__ import annotations

TEMPLATE = r"""
§§ japanese sentence | 文がパスワードを示す。
§ メモ/サーバー.md
ステージング環境のパスワードは ⟦‹password›⟧ です。ユーザー名は deploy です。
§ メモ/無線.md
# 会議室のWi-Fi

SSID：kaigi-2f
パスワード：⟦‹password›⟧
§ 手順/初期設定.md
1. 管理画面を開く
2. ユーザー「admin」、パスワード「⟦‹password›⟧」でログインする
3. 言語を日本語にする
§ 議事録/2024-04-10.md
- 新しいAPIキー：⟦‹alnum 32›⟧（天気サービス用）
- 次回は五月
§ 台帳/機器.md
| 機器 | ユーザー | パスワード |
|---|---|---|
| ルーター | admin | ⟦‹password›⟧ |

§§ chinese sentence | 句子给出了密码。
§ 笔记/服务器.md
测试服务器的密码是 ⟦‹password›⟧，用户名是 root。
§ 笔记/无线.md
办公室 WiFi：Studio
密码：⟦‹password›⟧
§ 文档/数据库.md
连接数据库时，账号为 `report`，密码为 `⟦‹password›⟧`。
§ 运维/账号.md
| 系统 | 用户名 | 密码 |
|---|---|---|
| 监控 | admin | ⟦‹password›⟧ |
§ 工单/231.md
已把王女士的登录密码重置为 ⟦‹password›⟧，请她尽快修改。
§ 文档/接口.md
生产环境的密钥：⟦‹alnum 40›⟧
访问令牌：⟦‹alnum 40›⟧

§§ japanese message | 連絡にパスワードが書かれている。
§ メール/連絡.md
佐藤さん

VPNのユーザー名は sato、初期パスワードは ⟦‹password›⟧ です。ログイン後に変更してください。
§ 引き継ぎ/基盤.md
- ルートパスワード: ⟦‹password›⟧
- アクセストークン: ⟦‹alnum 40›⟧
§ メモ/共有.md
共有フォルダーのパスワードを「⟦‹password›⟧」に変更しました。

§§ chinese message | 消息里写着密码。
§ 邮件/开通.md
您好，您的账号是 li.wei，初始密码是 ⟦‹password›⟧，登录后请修改。
§ 交接/运维.md
- root 密码：⟦‹password›⟧
- API 密钥：⟦‹alnum 32›⟧
§ 群聊/记录.txt
[10:20] 小陈：后台怎么登录？
[10:21] 小李：用户名 admin，密码 ⟦‹password›⟧
"""
