import { type OpenedDocument, UnreadableDocument } from '../extraction.ts';
import { openDocument } from '../open-document.ts';
import { MainLink } from './main-link.ts';
import { sharedByLink } from './shared-by-link.ts';
import type { DocumentTask } from './thread-messages.ts';

/** A document in a thread of its own, from its opening until its last page is handed over or it is no longer wanted. */
export default async (task: DocumentTask): Promise<void> => {
  using link = new MainLink(task.port);
  link.send({ kind: 'alive' });
  const request = { ...task.request, signal: link.stopped, onStage: link.beginStage };
  const extraction = await openDocument(request, task.settings, task.scratchPath, sharedByLink(link, task));
  if (!extraction.ok) return link.send({ kind: 'failed', failure: extraction });
  await using opened = extraction;
  const { pageCount, previewPath, picturePath, einvoice } = opened;
  link.send({ kind: 'opened', pageCount, previewPath, picturePath, einvoice });
  await handOver(opened, link);
};

const handOver = async ({ pages }: OpenedDocument, link: MainLink): Promise<void> => {
  const batches = pages[Symbol.asyncIterator]();
  try {
    while (await link.isNextWanted()) {
      const batch = await batches.next();
      if (batch.done === true) return link.send({ kind: 'end' });
      link.send({ kind: 'pages', pages: batch.value });
    }
  } catch (error) {
    if (!(error instanceof UnreadableDocument)) throw error;
    link.send({ kind: 'failed', failure: error.failure });
  } finally {
    await batches.return?.();
  }
};
