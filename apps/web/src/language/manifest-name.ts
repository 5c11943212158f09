import type { Locale } from '@sheaf/messages';

/** The file of the manifest in a language. */
export const manifestName = (locale: Locale): string => (locale === 'en' ? 'manifest.webmanifest' : `manifest.${locale}.webmanifest`);
