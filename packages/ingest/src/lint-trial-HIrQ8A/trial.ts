export { readMultistatus } from '@sheaf/sources/internals/webdav';
