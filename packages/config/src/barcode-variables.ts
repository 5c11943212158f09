import { boolean, text } from './variable.ts';

/** What barcodes on pages mean, unless a source or the watch folders have it otherwise. See variables.ts for all variables. */
export const BARCODE_VARIABLES = {
  BARCODE_ENABLED: boolean('Barcodes', {
    default: 'false',
    meaning: 'reads barcodes on the pages of new PDF and image files: separator sheets, archive numbers, labels',
  }),
  BARCODE_SEPARATOR: text('Barcodes', {
    default: 'PATCHT',
    meaning: 'text of the barcode on a separator sheet, which begins a new document',
  }),
  BARCODE_KEEP_SEPARATOR: boolean('Barcodes', {
    default: 'false',
    meaning: 'keeps a separator sheet as the first page of the document after it',
  }),
  BARCODE_ASN_PREFIX: text('Barcodes', { default: 'ASN', meaning: 'prefix of barcodes with an archive number; digits follow' }),
  BARCODE_LABEL_PREFIX: text('Barcodes', {
    default: undefined,
    meaning: 'prefix of barcodes with the name of a label, such as LABEL:; names below each other are separated by /; empty: none are read',
  }),
};

/** What they mean on the pages of files of watch folders, where that differs. */
export const WATCH_BARCODE_VARIABLES = {
  WATCH_BARCODE_ENABLED: boolean('Watch folder', {
    default: undefined,
    meaning: 'as BARCODE_ENABLED, for files of watch folders; unset: as BARCODE_ENABLED',
  }),
  WATCH_BARCODE_SEPARATOR: text('Watch folder', {
    default: undefined,
    meaning: 'as BARCODE_SEPARATOR, for files of watch folders; unset: as BARCODE_SEPARATOR',
  }),
  WATCH_BARCODE_KEEP_SEPARATOR: boolean('Watch folder', {
    default: undefined,
    meaning: 'as BARCODE_KEEP_SEPARATOR, for files of watch folders; unset: as BARCODE_KEEP_SEPARATOR',
  }),
  WATCH_BARCODE_ASN_PREFIX: text('Watch folder', {
    default: undefined,
    meaning: 'as BARCODE_ASN_PREFIX, for files of watch folders; unset: as BARCODE_ASN_PREFIX',
  }),
  WATCH_BARCODE_LABEL_PREFIX: text('Watch folder', {
    default: undefined,
    meaning: 'as BARCODE_LABEL_PREFIX, for files of watch folders; unset: as BARCODE_LABEL_PREFIX',
  }),
};
