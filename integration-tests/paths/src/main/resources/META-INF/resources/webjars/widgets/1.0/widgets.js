served:webjar
