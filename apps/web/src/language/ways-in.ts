import { defineTexts } from './texts.ts';

/** The ways on which a file comes in. */
export const wayInTexts = defineTexts({
  en: {
    upload: 'upload',
    watch: 'watch folder',
    user_watch: 'watch folder of the user',
    webdav: 'WebDAV',
    s3: 'S3',
    local_folder: 'local folder',
  },
  de: {
    upload: 'Hochladen',
    watch: 'überwachter Ordner',
    user_watch: 'überwachter Ordner des Benutzers',
    webdav: 'WebDAV',
    s3: 'S3',
    local_folder: 'lokaler Ordner',
  },
});
