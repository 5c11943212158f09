/** What one document may take. Beyond any of them it is refused, except for attachments, which are listed without their bytes. */
export interface EinvoiceLimits {
  /** Bytes of the XML, with its attachments in base64. */
  readonly maxBytes: number;
  readonly maxElements: number;
  /** Elements inside each other; EN 16931 takes about ten. */
  readonly maxDepth: number;
  /** Lines of the invoice (BG-25). */
  readonly maxLines: number;
  /** UTF-16 units of one text or comment. */
  readonly maxTextChars: number;
  /** UTF-16 units of one attachment in base64. */
  readonly maxAttachmentChars: number;
  /** UTF-16 units of a tag with its attributes. */
  readonly maxTagChars: number;
  readonly maxAttributes: number;
  /** Bytes of all attachments together, decoded. */
  readonly maxAttachmentBytes: number;
}

/** At these limits reading takes about a second of a core, however hostile the document is. */
export const DEFAULT_LIMITS: EinvoiceLimits = {
  maxBytes: 24 * 1024 ** 2,
  maxElements: 300_000,
  maxDepth: 64,
  maxLines: 10_000,
  maxTextChars: 1024 ** 2,
  maxAttachmentChars: 22 * 1024 ** 2,
  maxTagChars: 64 * 1024,
  maxAttributes: 64,
  maxAttachmentBytes: 16 * 1024 ** 2,
};
