/** Where a request comes from. */
export interface Client {
  readonly address: string | undefined;
  readonly userAgent: string | undefined;
}
