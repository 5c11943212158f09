import { type Arguments, addressOf, call } from '../../interface/call.ts';

type Chosen = Arguments<'post /api/documents/bulk-download/tickets'>['body'];

/** Has the browser save a ZIP of the documents, as it comes: what a page fetches by itself would have to fit into memory first. */
export const downloadDocuments = async (chosen: Chosen): Promise<void> => {
  const { ticket } = await call('post /api/documents/bulk-download/tickets', { body: chosen });
  const link = document.createElement('a');
  link.href = addressOf('/api/documents/bulk-download/{ticket}', { params: { ticket } });
  link.download = '';
  link.click();
};
