"""What axe finds in unfold's frame around our pages, by rule: known, and none of it in our own templates."""

#: Its header with the page's title lies in no landmark; its login and password pages have no main one.
KNOWN = {"region", "landmark-one-main"}
