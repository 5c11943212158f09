/** The families of readers. A kind of file is read by exactly one of them. */
export type FileFamily = 'pdf' | 'text' | 'image' | 'office' | 'einvoice';

export interface FileKind {
  /** Without the dot, lower case; the first is the usual one. */
  readonly extensions: readonly [string, ...string[]];
  readonly mimeType: string;
  readonly family: FileFamily;
}

/** Every kind of file the service accepts. Detection, validation and extraction all read this one table. */
export const FILE_KINDS = [
  { extensions: ['pdf'], mimeType: 'application/pdf', family: 'pdf' },
  { extensions: ['txt'], mimeType: 'text/plain', family: 'text' },
  { extensions: ['doc'], mimeType: 'application/msword', family: 'office' },
  { extensions: ['docx'], mimeType: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document', family: 'office' },
  { extensions: ['odt'], mimeType: 'application/vnd.oasis.opendocument.text', family: 'office' },
  { extensions: ['rtf'], mimeType: 'application/rtf', family: 'office' },
  { extensions: ['ppt'], mimeType: 'application/vnd.ms-powerpoint', family: 'office' },
  { extensions: ['pptx'], mimeType: 'application/vnd.openxmlformats-officedocument.presentationml.presentation', family: 'office' },
  { extensions: ['odp'], mimeType: 'application/vnd.oasis.opendocument.presentation', family: 'office' },
  { extensions: ['xls'], mimeType: 'application/vnd.ms-excel', family: 'office' },
  { extensions: ['xlsx'], mimeType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', family: 'office' },
  { extensions: ['ods'], mimeType: 'application/vnd.oasis.opendocument.spreadsheet', family: 'office' },
  { extensions: ['png'], mimeType: 'image/png', family: 'image' },
  { extensions: ['jpg', 'jpeg'], mimeType: 'image/jpeg', family: 'image' },
  { extensions: ['tiff', 'tif'], mimeType: 'image/tiff', family: 'image' },
  { extensions: ['bmp'], mimeType: 'image/bmp', family: 'image' },
  // of XML, e-invoices alone
  { extensions: ['xml'], mimeType: 'application/xml', family: 'einvoice' },
] as const satisfies readonly FileKind[];

export const SUPPORTED_EXTENSIONS: readonly string[] = FILE_KINDS.flatMap((kind) => kind.extensions);

export const findKindByExtension = (extension: string): FileKind | undefined =>
  FILE_KINDS.find((kind) => (kind.extensions as readonly string[]).includes(extension.toLowerCase()));

export const findKindByMimeType = (mimeType: string): FileKind | undefined => FILE_KINDS.find((kind) => kind.mimeType === mimeType);

/** The part of `filename` behind its last dot, lower case; empty where there is none. */
export const extensionOf = (filename: string): string => {
  const dot = filename.lastIndexOf('.');
  return dot <= 0 ? '' : filename.slice(dot + 1).toLowerCase();
};
