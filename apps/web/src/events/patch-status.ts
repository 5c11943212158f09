import { DOCUMENT_STATUSES } from '@sheaf/vocabulary/documents';
import type { QueryClient } from '@tanstack/react-query';
import type { Answer, Operation } from '../interface/call.ts';

type List = Answer<'get /api/documents'>;
type Status = List['data'][number]['status'];

const isStatus = (status: string): status is Status => (DOCUMENT_STATUSES as readonly string[]).includes(status);

/** The list with a document's new status; the same list where it says nothing new. */
export const withStatus = (list: List, id: string, status: Status): List => {
  const index = list.data.findIndex((document) => document.id === id);
  const document = list.data[index];
  if (document === undefined || document.status === status) return list;
  return { ...list, data: list.data.with(index, { ...document, status }) };
};

/** Writes a document's new status into the lists that are kept. */
export const patchStatus = (client: Pick<QueryClient, 'setQueriesData'>, id: string, status: string): void => {
  if (!isStatus(status)) return;
  const operation: Operation = 'get /api/documents';
  client.setQueriesData<List>({ queryKey: [operation] }, (list) => list && withStatus(list, id, status));
};
