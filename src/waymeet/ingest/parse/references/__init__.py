"""References from one document to another: links, anchors, mentions, paths."""
