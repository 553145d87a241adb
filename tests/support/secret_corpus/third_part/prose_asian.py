"""Secrets in Japanese and Chinese prose."""

TEMPLATE = r"""
§§ japanese sentences | パスワードは…です
§ メモ/サーバー.md
検証サーバーのパスワードは ⟦‹password›⟧ です。他の人に教えないでください。
§ メモ/nas.md
NASの管理者パスワードは「⟦‹password›⟧」に変更しました。
§ docs/ja/staging.md
ステージング環境には、ユーザー名 `tester`、パスワード `⟦‹password›⟧` でログインできます。
§ メモ/wifi.txt
会議室のWi-Fi:Kaigi-5G パスワード：⟦‹password›⟧
§§ japanese lists, mails and tables | ユーザー名とパスワードの一覧
§ wiki/アカウント.md
- ユーザーID: yamada
- パスワード: ⟦‹password›⟧
- 有効期限: 2026年3月31日
§ mail/initial.eml
件名: アカウント発行のお知らせ

田中様

アカウントを発行しました。
ログインID:tanaka‹number 10 99›
初期パスワード：⟦‹alnum 12›⟧

初回ログイン後に変更してください。
§ wiki/機器一覧.md
| 機器 | IPアドレス | ユーザー | パスワード |
|------|-----------|----------|------------|
| プリンタ | 10.0.0.20 | admin | ⟦‹password›⟧ |
| ルーター | 10.0.0.1 | root | ⟦‹password›⟧ |
§§ japanese keys and chats | APIキー、秘密鍵、トークン
§ メモ/api.md
天気サービスのAPIキー：⟦‹alnum 40›⟧（1日1000回まで）
§ todo/ja.md
- [ ] アクセストークン `⟦‹hex 40›⟧` を更新する
- [ ] 請求書を送る
§ chat/ja.log
10:12 佐藤: DBのパスワードって何でしたっけ
10:13 鈴木: パスワードは⟦‹password›⟧ですよ
§ メモ/webhook.md
本番の共有シークレットは ⟦‹alnum 36›⟧ を使う。
§§ chinese sentences | 密码是…
§ 笔记/服务器.md
测试服务器的密码是 ⟦‹password›⟧，请不要外传。
§ 笔记/数据库.md
昨天把数据库密码改成了 ⟦‹password›⟧。
§ docs/zh/staging.md
预发布环境请使用用户名 `tester`、密码 `⟦‹password›⟧` 登录。
§ 笔记/wifi.txt
会议室无线网络：Meeting-5G，密码：⟦‹password›⟧
§§ chinese lists, mails and tables | 用户名和密码列表
§ wiki/账号.md
用户名：zhangwei
密码：⟦‹password›⟧
地址：https://oa.example.cn
§ mail/kaitong.eml
主题：账号开通通知

李娜您好，

您的账号已开通。
登录名：lina
初始密码：⟦‹alnum 12›⟧

首次登录后请修改密码。
§ wiki/设备.md
| 设备 | 地址 | 账号 | 密码 |
|------|------|------|------|
| 打印机 | 10.0.0.20 | admin | ⟦‹password›⟧ |
| 摄像头 | 10.0.0.31 | root | ⟦‹password›⟧ |
§ accounts_zh.csv
系统,账号,密码
监控,ops,⟦‹alnum 14›⟧
邮箱,info,⟦‹alnum 14›⟧
§§ chinese keys and chats | 密钥、令牌
§ 笔记/接口.md
天气接口的密钥：⟦‹alnum 40›⟧（每天一千次）
§ todo/zh.md
- [ ] 更新访问令牌 `⟦‹hex 40›⟧`
- [ ] 整理发票
§ chat/zh.log
10:12 小王：后台密码是多少？
10:13 小李：密码 ⟦‹password›⟧
§ config/zh.md
微信小程序 AppSecret:⟦‹hex 32›⟧
§§ korean and russian notes | 비밀번호는 …, пароль: …
§ 메모/서버.md
테스트 서버 비밀번호: ⟦‹password›⟧
§ заметки/сервер.md
Пароль от тестового сервера: ⟦‹password›⟧
§§ japanese and chinese manuals | 手順書と操作手册に書かれたアカウント
§ 手順書/復旧.md
1. 管理画面を開く
2. ID に `rescue`、パスワードに `⟦‹password›⟧` を入力する
3. 「再起動」を押す
§ 手册/恢复.md
1. 打开管理页面
2. 账号填写 `rescue`，密码填写 `⟦‹password›⟧`
3. 点击“重启”
§ 引き継ぎ.md
請求システムは共用アカウントです(billing / ⟦‹password›⟧)。
"""
