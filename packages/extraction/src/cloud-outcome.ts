import type { OcrOutcome } from './ocr-runner.ts';

/**
 * Why the cloud engine gave no reading. `corrupt` is the page's own fault; the other two have nothing to do with the page: the
 * account or its settings are refused, which no second try changes, or the service cannot be had right now.
 */
export interface CloudFailure {
  readonly ok: false;
  readonly reason: 'corrupt' | 'ocr_refused' | 'ocr_unavailable';
  /** For the operator: names the variable to look at. Never the key. */
  readonly message: string;
}

export type CloudOutcome<T> = OcrOutcome<T> | CloudFailure;

export const cloudFailure = (reason: CloudFailure['reason'], message: string): CloudFailure => ({ ok: false, reason, message });
