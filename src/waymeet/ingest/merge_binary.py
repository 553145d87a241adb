"""Names that tell a file is not text, so that nobody needs to open it."""

BINARY = frozenset(
    """
    7z a aab aac accdb aif aiff apk ar arrow avi avif bin blend bmp br bz2 cab cer class cr2 crx cur db db3 deb der
    dex dll dmg doc docm ear egg eot epub exe feather flac flv gif glb gz h5 hdf5 heic icns ico idx img iso jar
    jp2 jpeg jpg joblib keychain lib lz lz4 lzma m4a m4v mdb mid mkv mo mobi mov mp3 mp4 mpeg mpg msi msix nib npy npz o
    obj odp ods odt oga ogg ogv onnx opus orc otf pack parquet pb pcap pdb pickle pkl png ppt pptm pptx psd pt pth
    pyc pyd pyo rar rdb rlib rpm safetensors sketch so sqlite sqlite3 stl swf swp tar tflite tgz tif tiff ttc ttf
    vsix war wasm wav webm webp whl wim wma wmv woff woff2 wt xls xlsb xlsm xlsx xz z zip zst
    """.split()
)
"""Endings of files that never hold text to search."""


def is_binary_name(name: str) -> bool:
    """Tell whether a file's name says that it holds no text.

    >>> is_binary_name("Photo.JPG"), is_binary_name("notes.md"), is_binary_name("png")
    (True, False, False)
    """
    stem, dot, ending = name.rpartition(".")
    return bool(dot and stem) and ending.lower() in BINARY
