/** The archive cannot be imported as it is; the message says what to do. */
export class ImportSourceError extends Error {
  override readonly name = 'ImportSourceError';
}
