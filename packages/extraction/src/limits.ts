/** What a stranger's document may cost. Beyond these it fails with a reason, and nothing else is harmed. */
export interface ExtractionLimits {
  /** Memory one program may write to; LibreOffice, which is a whole suite in one program, gets twice as much. */
  readonly toolMemoryBytes: number;
  /** The largest file one program may write. */
  readonly toolFileBytes: number;
  /** How many times its packed size an archive may unpack to. */
  readonly archiveRatio: number;
  readonly archiveEntries: number;
  /** All entries of an archive together, unpacked. */
  readonly archiveBytes: number;
  /** A picture of more pixels is refused by its header, before anything is decoded. */
  readonly imagePixels: number;
  /** One try to convert an office file. */
  readonly officeTimeoutMs: number;
}

export type ToolSize = Pick<ExtractionLimits, 'toolMemoryBytes' | 'toolFileBytes'>;

/** As `runTool` takes them. */
export const toolLimits = ({ toolMemoryBytes, toolFileBytes }: ToolSize, openFiles = 256) => ({
  memoryBytes: toolMemoryBytes,
  fileBytes: toolFileBytes,
  openFiles,
});

export const officeLimits = (size: ToolSize) => ({ ...toolLimits(size, 512), memoryBytes: 2 * size.toolMemoryBytes });
