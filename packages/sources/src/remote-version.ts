/** What a source says of one of its files. */
export interface RemoteVersion {
  readonly etag: string | undefined;
  readonly sizeBytes: number | undefined;
  readonly modifiedAt: Date | undefined;
}
