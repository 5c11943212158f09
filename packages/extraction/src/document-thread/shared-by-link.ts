import type { SharedParts } from '../document-parts.ts';
import type { ImageResult } from '../image-host.ts';
import type { OcrOutcome, OcrReading, OcrTask, Turn } from '../ocr-runner.ts';
import type { OfficeOutcome } from '../office-listener.ts';
import type { MainLink } from './main-link.ts';
import type { DocumentTask, SharedCall } from './thread-messages.ts';

const plain = ({ imagePath, language, dpi, psm, timeoutMs }: OcrTask) => ({ imagePath, language, dpi, psm, timeoutMs });

/** What documents share, as a thread has it: everything is asked of the main thread. */
export const sharedByLink = (link: MainLink, { slots, hasOffice, runner }: DocumentTask): SharedParts => {
  const ask = async <T>(call: SharedCall, signal: AbortSignal): Promise<T> => (await link.call<T>(call, signal)).value;
  return {
    slots: { size: slots, run: (_, signal, task) => inSlot(link, signal, task) },
    images: { ask: (request, { timeoutMs, signal }) => ask<ImageResult>({ of: 'image', request, timeoutMs }, signal) },
    office: hasOffice
      ? {
          convert: (inputPath, outFolder, { timeoutMs, signal }, isUrgent = false) =>
            ask<OfficeOutcome>({ of: 'convert', inputPath, outFolder, timeoutMs, isUrgent }, signal),
        }
      : undefined,
    runner:
      runner === undefined || 'reason' in runner
        ? runner
        : {
            canReadAgain: runner.canReadAgain,
            read: (task) => ask<OcrOutcome<OcrReading>>({ of: 'read', task: plain(task) }, task.signal),
            findTurn: (task) => ask<Turn | undefined>({ of: 'find_turn', task: plain(task) }, task.signal),
          },
  };
};

const inSlot = async <T>(link: MainLink, signal: AbortSignal, task: () => Promise<T>): Promise<T> => {
  const { id } = await link.call({ of: 'slot' }, signal);
  try {
    return await task();
  } finally {
    link.send({ kind: 'release', id });
  }
};
