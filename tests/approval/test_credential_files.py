"""Files in which common programs keep keys, cookies and what was typed are all in the table of secret paths."""

from __future__ import annotations

import pytest

from msgbook.approval.roots import folded, looks_secret


def words(text: str) -> list[str]:
    return text.split()


SECRET = words("""
.env .env.local prod.env .envrc .netrc .pgpass .my.cnf .npmrc .yarnrc.yml .yarnrc .pypirc pip.conf .config/pip/pip.conf
.pip/pip.conf pip.ini .condarc .gitconfig .git-credentials .config/git/config .config/git/credentials .hgrc .git/config
.credentials.json .claude/.credentials.json .claude.json .codex/auth.json .gemini/oauth_creds.json .docker/config.json
.config/containers/auth.json .dockercfg .kube/config kubeconfig.yaml .config/gcloud/credentials.db
.config/gcloud/application_default_credentials.json .azure/msal_token_cache.json .azure/accessTokens.json .aws/config
.aws/sso/cache/x.json .config/gh/hosts.yml .config/hub .config/glab-cli/config.yml .config/github-copilot/apps.json
.terraformrc .terraform.d/credentials.tfrc.json terraform.tfstate x.tfvars .vault-token .cargo/credentials.toml
.cargo/credentials .gem/credentials .bundle/config .nuget/NuGet/NuGet.Config .m2/settings.xml .sbt/.credentials
.gradle/gradle.properties .composer/auth.json .config/pypoetry/auth.toml .jfrog/jfrog-cli.conf .huggingface/token
.cache/huggingface/token .kaggle/kaggle.json .snowflake/connections.toml .dbt/profiles.yml .databricks.cfg .s3cfg
.config/rclone/rclone.conf .rclone/rclone.conf .smbcredentials .curlrc .wgetrc .msmtprc .mongoshrc.js .sentryclirc
.bash_history .zsh_history .zhistory .histfile .python_history .node_repl_history .psql_history .mysql_history .sqlite_history
.local/share/fish/fish_history .irb_history .Rhistory .lesshst .viminfo .bash_history-01.tmp .ipython/profile_default/history.sqlite
AppData/Roaming/Microsoft/Windows/PowerShell/PSReadLine/ConsoleHost_history.txt .config/nushell/history.txt
.mozilla/firefox/x/logins.json .mozilla/firefox/x/key4.db .mozilla/firefox/x/cookies.sqlite .config/google-chrome/Default/Cookies
.config/chromium/x .config/BraveSoftware/x Library/Keychains/login.keychain-db profile/Cookies cookies.txt
.local/share/keyrings/login.keyring .local/share/kwalletd/kdewallet.kwl vault.kdbx old.kdb x.psafe3 .password-store/x.gpg
key.p12 key.pfx store.jks store.jceks putty.ppk server.key tls.pem id_rsa id_ed25519.pub deploy_rsa my_ed25519 ssh_host_rsa_key
wallet.dat my-wallet.json keystore/UTC--2026-01-01 .ethereum/keystore/x .electrum/wallets/default_wallet .bitcoin/x
secrets.toml app.secret.json .streamlit/secrets.toml passwords.txt db_password.yml api_key.txt openai-api-keys.json
access_token.json .hf_token my.token service-account.json client_secret_1.json .act.secrets
run/secrets/db run/secrets/kubernetes.io/serviceaccount/token run/credentials/x etc/shadow etc/shadow- etc/wireguard/wg0.conf
wp-config.php .htpasswd
""")

ORDINARY = words("""
README.md notes.txt chat.msg.md history.md test_history.py chat_history.py src/history/reader.py tokenizer.json tokens.py
special_tokens_map.json package.json pyproject.toml config.toml config.json settings.py environment.yml environ.py envelope.txt
keys.py keyboard.ts monkey.png public.asc cookbook.md cookies.py wallet.py password.py passwords.md secret.py secrets.md
auth.py auth.md run/secretsanta.py etc/shadows.txt docs/etc/hosts data/keynote.key.md credential.py id.txt identity.py
requirements.txt Makefile .gitignore .gitattributes .github/workflows/ci.yml .vscode/settings.json .config/matplotlib/x
""")


def is_secret(path: str) -> bool:
    return looks_secret([folded(name) for name in path.split("/")])


@pytest.mark.parametrize("path", SECRET)
@pytest.mark.parametrize("above", ["", "home/me/", "project/sub/"])
def test_what_programs_keep_secret_is_secret_here(path, above):
    assert is_secret(above + path)
    assert is_secret((above + path).upper())


@pytest.mark.parametrize("path", ORDINARY)
def test_ordinary_files_are_read_without_a_question(path):
    assert not is_secret(path)
