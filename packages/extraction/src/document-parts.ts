import type { BeginStage, ExtractionFailed, ExtractionSettings, RequestToRead } from './extraction.ts';
import type { FairSlots } from './fair-slots.ts';
import type { PictureMaker } from './images/image-host.ts';
import type { OcrRunner } from './ocr/ocr-runner.ts';
import type { OfficeConverter } from './office/office-converter.ts';

/** What a thread needs of the settings. What the cloud is reached with stays with the main thread. */
export type DocumentSettings = Omit<ExtractionSettings, 'cloud'>;

export interface DocumentRequest extends Omit<RequestToRead, 'onStage'> {
  readonly onStage: BeginStage | undefined;
}

/** What documents share: it stays warm, and is given to each document page by page. */
export interface SharedParts {
  readonly slots: Pick<FairSlots, 'size' | 'run'>;
  readonly images: Pick<PictureMaker, 'ask'>;
  /** Undefined: not installed. */
  readonly office: Pick<OfficeConverter, 'convert'> | undefined;
  /** Or why there is none; undefined where nothing is to be recognised. */
  readonly runner: PageRunner | ExtractionFailed | undefined;
  /** The language of a text, where it is plain. */
  readonly detectLanguage: (text: string, signal: AbortSignal) => Promise<string | undefined>;
}

export type PageRunner = Pick<OcrRunner, 'canRunOcrAgain' | 'read' | 'findTurn'>;
