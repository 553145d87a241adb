"""Folders of build output and vendored packages, told by their files and neighbours."""

import pytest

from waymeet.ingest.discover.derived_folders import find_derived_folders

OUTPUT, VENDORED = "build output", "vendored"


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        (["package.json", "src/index.ts", "dist/index.js", "dist/index.d.ts"], {"dist/": OUTPUT}),
        (["package.json", "build/index.html", "build/static/js/main.3f9e8a7b.js"], {"build/": OUTPUT}),
        (["package.json", "src/index.ts", "build/src/index.js"], {"build/": OUTPUT}),
        (["build/bundle.js"], {"build/": OUTPUT}),
        (["setup.py", "pkg/mod.py", "build/lib/pkg/mod.py"], {"build/": OUTPUT}),
        (["pyproject.toml", "dist/pkg-1.0-py3-none-any.whl"], {"dist/": OUTPUT}),
        (["pom.xml", "src/main/java/A.java", "target/classes/A.class"], {"target/": OUTPUT}),
        (["Cargo.toml", "src/main.rs", "target/CACHEDIR.TAG", "target/debug/build/x/out/a.rs"], {"target/": OUTPUT}),
        (["Cargo.toml", "src/main.rs", "target/debug/build/x/out/a.rs"], {"target/": OUTPUT}),
        (["a/pom.xml", "a/src/A.java", "a/target/generated-sources/B.java"], {"a/target/": OUTPUT}),
        (["build.gradle.kts", "src/A.kt", "build/generated/source/B.kt"], {"build/": OUTPUT}),
        (["docs/index.rst", "docs/_build/html/index.html", "docs/_build/html/objects.inv"], {"docs/_build/": OUTPUT}),
        (["app/App.csproj", "app/bin/Debug/App.dll", "app/Main.cs"], {"app/bin/": OUTPUT}),
        (["go.mod", "main.go", "vendor/modules.txt", "vendor/github.com/x/y/z.go"], {"vendor/": VENDORED}),
        (["composer.json", "vendor/autoload.php", "vendor/a/b/src/C.php"], {"vendor/": VENDORED}),
        (["src/a.c", "third_party/zlib/zlib.c"], {"third_party/": VENDORED}),
        (["web/static/vendor/jquery.js"], {"web/static/vendor/": VENDORED}),
        (["src/waymeet/ingest/build/__init__.py", "src/waymeet/ingest/build/entry.py"], {}),
        (["package.json", "build/webpack.dev.conf.js", "build/utils.js"], {}),
        (["package.json", "build/sync-version.js", "build/build-validation.js"], {}),
        (["build/README.md"], {}),
        (["build/Dockerfile", "build/package.sh"], {}),
        (["go.mod", "build/build.go", "build/build_test.go"], {}),
        (["src/dist/api.py", "src/dist/__init__.py"], {}),
        (["shop/__init__.py", "shop/vendor/__init__.py", "shop/vendor/models.py"], {}),
        (["app/target/aim.kt", "app/target/Aim2.kt"], {}),
        (["Cargo.toml", "src/target/mod.rs", "src/target/build/aim.rs"], {}),
        (["bin/cli.js", "package.json"], {}),
        ([], {}),
    ],
)
def test_a_folder_is_derived_if_its_files_show_it(paths: list[str], expected: dict[str, str]) -> None:
    assert find_derived_folders(paths).folders == expected
