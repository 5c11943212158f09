import type { Secret } from '@sheaf/contract';
import type { GuardedFetch } from '@sheaf/outbound';
import { inSpan, type SpanAttributes } from '@sheaf/process/tracing';
import type { PageOrigin } from '@sheaf/vocabulary/documents';
import type { FoundEinvoice } from '@sheaf/vocabulary/einvoices';
import type { FailureReason } from '@sheaf/vocabulary/extraction-failures';

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

export interface ExtractionSettings {
  /** Scratch folders are made here, one a document. Programs are started from here too: not on a `noexec` mount. */
  readonly scratchPath: string;
  /** Pages read at the same time in this process; its share of the cores. */
  readonly readers: number;
  /** Documents that are processed at the same time, each in a thread of its own. As many as the caller opens, or they wait. */
  readonly documents: number;
  readonly dpi: number;
  readonly psm: number;
  readonly oem: number;
  /** OCR_ENGINE_DATA_PATH. Where the folder does not exist, the usual places are searched. */
  readonly dataPath: string;
  readonly runner: 'auto' | 'native' | 'wasm';
  /** Set: pages go to this account and to no engine of this machine. */
  readonly cloud?: { readonly endpoint: string; readonly key: Secret; readonly fetch: GuardedFetch } | undefined;
  /** Limit for one document, once for each begun 100 pages that need recognition. */
  readonly timeoutMs: number;
  readonly maxPages: number;
  readonly maxPdfBytes: number;
  readonly maxOfficeBytes: number;
  /** A page image has at most so many pixels: a larger page is scaled down to it. */
  readonly maxPixels: number;
  /** Below this it is looked whether a page lies as it should. */
  readonly confidenceThreshold: number;
  readonly limits: ExtractionLimits;
  /** `require`: office files are refused where this machine allows no sandbox that keeps programs from other files. */
  readonly sandbox: 'require' | 'prefer';
}

export interface ExtractionRequest {
  readonly path: string;
  /** One of the kinds of the contract, found by content. */
  readonly mimeType: string;
  /** For log lines. */
  readonly filename: string;
  /** Stands in the name of its scratch folder, so that the programs that work on it can be told from others. */
  readonly label?: string;
  /** Tesseract codes joined by +, `auto`, or `auto:` and codes joined by commas. */
  readonly language: string;
  /** Of `auto`: codes that it probably is in, the likeliest first. */
  readonly likelyLanguages?: readonly string[];
  /** False: pages without a text layer stay empty. */
  readonly ocr: boolean;
  /** Pages an earlier try has read; they are not given again. */
  readonly donePages: ReadonlySet<number>;
  /** The PDF an earlier try made of an office file. */
  readonly previewPath?: string | undefined;
  /** The longer side of a picture of the first page, for whoever wants one: where the pages are opened anyway, it costs no further start. */
  readonly pictureSize?: number | undefined;
  readonly onStage?: OnStage;
  /** Called for each page that is to be recognised, before it waits for a page reader. */
  readonly onRecognise?: () => void;
  /** It takes the next page reader that is free, and waits for no office that is busy. */
  readonly isUrgent?: boolean;
  readonly signal: AbortSignal;
}

/** A request whose languages are known. */
export interface RequestToRead extends Omit<ExtractionRequest, 'likelyLanguages'> {
  /** What its pages may be read with instead of its language, where their text is found to be in it. */
  readonly otherLanguages: readonly string[];
}

export interface ExtractedPage {
  /** From 1. */
  readonly page: number;
  /** Without NUL and without lone surrogates. */
  readonly text: string;
  /** 0 to 1. A text layer is certain; so is a page with nothing on it. */
  readonly confidence: number;
  readonly origin: PageOrigin;
  /** Where the words of its text stand, for `decodePageWords`. Undefined where nothing is known of it. */
  readonly words?: Uint8Array | undefined;
  /** What its text was found to be in, as a code of tesseract. */
  readonly language?: string | undefined;
  /** Why this page has no text. The other pages are not affected. */
  readonly error?: FailureReason;
}

export interface ExtractionFailed {
  readonly ok: false;
  readonly reason: FailureReason;
  /** Narrower than the reason's own message, for the same reader. */
  readonly message?: string | undefined;
}

/** An opened document. Dispose it when its pages are consumed or no longer wanted: that ends its programs and its scratch folder. */
export interface OpenedDocument extends AsyncDisposable {
  readonly ok: true;
  readonly pageCount: number;
  /** The PDF an office file was turned into. It lies in the scratch folder and goes with it. */
  readonly previewPath: string | undefined;
  /** The first page as a PPM, where a picture was wanted and the document is read as a PDF. It lies in the scratch folder. */
  readonly picturePath?: string | undefined;
  /** The e-invoice that it is or holds, or why that could not be read. */
  readonly einvoice?: FoundEinvoice | undefined;
  /**
   * Pages in batches, for one consumer: all that have a text layer in large batches first, recognised ones singly as they are
   * finished, in any order. Throws the signal's reason when the request is aborted, and UnreadableDocument when what is found on
   * the way ends the document as a whole; pages given before stay good.
   */
  readonly pages: AsyncIterable<readonly ExtractedPage[]>;
}

export type Extraction = OpenedDocument | ExtractionFailed;

/** Thrown by the pages of an opened document. */
export class UnreadableDocument extends Error {
  readonly failure: ExtractionFailed;

  constructor(failure: ExtractionFailed) {
    super(failure.message ?? failure.reason);
    this.failure = failure;
  }
}

export const failed = (reason: FailureReason, message?: string): ExtractionFailed => ({ ok: false, reason, message });

/** Where the time of a document goes while it is read. */
export const EXTRACTION_STAGES = ['convert', 'text_layer', 'rasterise', 'recognise'] as const;
export type ExtractionStage = (typeof EXTRACTION_STAGES)[number];

/** Called for each stage when it has ended, well or not. */
type OnStage = (stage: ExtractionStage, seconds: number) => void;

/** Told when a stage begins; what it returns, when that has ended. */
export type BeginStage = (stage: ExtractionStage, facts: SpanAttributes) => (isGood: boolean) => void;

/** Does `work` as a stage of a document. */
export const inStage = async <T>(
  begin: BeginStage | undefined,
  stage: ExtractionStage,
  facts: SpanAttributes,
  work: () => Promise<T>,
): Promise<T> => {
  const end = begin?.(stage, facts);
  try {
    const result = await work();
    end?.(true);
    return result;
  } catch (error) {
    end?.(false);
    throw error;
  }
};

/** Makes a stage a span of the trace that is under way, with `facts`, and tells how long it took. */
export const observeStages =
  (onStage: OnStage | undefined): BeginStage =>
  (stage, facts) => {
    const startedMs = performance.now();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    // the span has failed with it, and whoever waits for the stage is told elsewhere
    inSpan(stage, facts, () => promise).catch(() => {});
    return (isGood) => {
      onStage?.(stage, (performance.now() - startedMs) / 1_000);
      if (isGood) resolve();
      else reject(new Error(`the stage ${stage} failed`));
    };
  };
