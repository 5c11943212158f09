import type { SharedParts } from '../document-parts.ts';
import type { OcrTask } from '../ocr/ocr-runner.ts';
import type { MainLink } from './main-link.ts';
import type { DocumentTask, SharedAnswers, SharedCall } from './thread-messages.ts';

const plain = ({ imagePath, language, dpi, psm, timeoutMs }: OcrTask) => ({ imagePath, language, dpi, psm, timeoutMs });

/** What documents share, as a thread has it: everything is asked of the main thread. */
export const sharedByLink = (link: MainLink, { slots, hasOffice, runner }: DocumentTask): SharedParts => {
  const ask = async <C extends SharedCall>(call: C, signal: AbortSignal): Promise<SharedAnswers[C['of']]> =>
    (await link.call(call, signal)).value;
  return {
    slots: { size: slots, run: (_, signal, task) => inSlot(link, signal, task) },
    detectLanguage: (text, signal) => ask({ of: 'detect_language', text }, signal),
    images: { ask: (request, { timeoutMs, signal }) => ask({ of: 'image', request, timeoutMs }, signal) },
    office: hasOffice
      ? {
          convert: (inputPath, outFolder, { timeoutMs, signal }, options) =>
            ask({ of: 'convert', inputPath, outFolder, timeoutMs, options }, signal),
        }
      : undefined,
    runner:
      runner === undefined || 'reason' in runner
        ? runner
        : {
            canReadAgain: runner.canReadAgain,
            read: (task) => ask({ of: 'read', task: plain(task) }, task.signal),
            findTurn: (task) => ask({ of: 'find_turn', task: plain(task) }, task.signal),
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
