import type { BulkUploadBody } from '@sheaf/contract/documents';
import { csrfHeader, noticeRefusal } from './call.ts';
import { Problem, problemOf, problemOfError, toProblem } from './problem.ts';

/** Makes `file` the newest version of a document. Throws Problem. */
export const replaceContent = async (documentId: string, file: File): Promise<void> => {
  const body = new FormData();
  body.append('file', file, file.name);
  let response: Response;
  try {
    response = await fetch(`/api/documents/${encodeURIComponent(documentId)}/content`, {
      method: 'PUT',
      credentials: 'same-origin',
      headers: { Accept: 'application/json', ...csrfHeader() },
      body,
    });
  } catch {
    throw Problem.unreachable();
  }
  if (response.ok) {
    await response.text(); // a browser holds the connection until the answer is read
    return;
  }
  const problem = await toProblem(response);
  noticeRefusal(problem);
  throw problem;
};

/** Of one file: the document it became, or why it became none; of a duplicate DUPLICATE_RESOURCE with `details.document_id`. */
export type UploadOutcome = { readonly id: string } | Problem;

export interface UploadOptions {
  /** Told how much of the form has gone out, 0 to 1. */
  readonly onProgress?: (share: number) => void;
  /** Told when all of it has: what happens now happens in the service. */
  readonly onSent?: () => void;
  readonly signal?: AbortSignal;
}

const CREATED = 201;
/** Where no file of several became a document, the answer is an error that has the error of each. */
const NO_FILE_IMPORTED = 'no_file_imported';

/** What became of each of `count` files, in their order. */
export const outcomesOf = (count: number, { documents, errors }: Pick<BulkUploadBody, 'documents' | 'errors'>): UploadOutcome[] => {
  const problems = new Map(errors.map(({ index, error }) => [index, problemOfError(CREATED, error)]));
  const ids = documents.values();
  return Array.from({ length: count }, (_, index) => problems.get(index) ?? { id: ids.next().value?.id ?? '' });
};

/** Why a request broke off: a file that was changed or removed since it was chosen looks to a browser like a lost connection. */
const whyBroken = async (files: readonly File[]): Promise<Problem> => {
  const looks = await Promise.allSettled(files.map((file) => file.slice(0, 1).arrayBuffer()));
  const gone = files.find((_, index) => looks[index]?.status === 'rejected');
  return gone === undefined ? Problem.unreachable() : Problem.unreadable(gone.name);
};

interface FormToSend {
  readonly path: string;
  readonly form: FormData;
  /** Those in the form. */
  readonly files: readonly File[];
}

/** Sends a form with files; resolves with the body of a good answer. Throws Problem. */
export const sendForm = ({ path, form, files }: FormToSend, { onProgress, onSent, signal }: UploadOptions): Promise<unknown> =>
  new Promise((resolve, reject) => {
    // fetch tells nothing of how far a body has gone
    const request = new XMLHttpRequest();
    request.open('POST', path);
    for (const [name, value] of Object.entries(csrfHeader())) request.setRequestHeader(name, value);
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress?.(total === 0 ? 0 : loaded / total));
    request.upload.addEventListener('load', () => onSent?.());
    request.addEventListener('load', () => {
      if (request.status >= 200 && request.status < 300) resolve(JSON.parse(request.responseText));
      else reject(problemOf(request.status, request.responseText, request.getResponseHeader('Retry-After')));
    });
    request.addEventListener('error', () => void whyBroken(files).then(reject));
    request.addEventListener('abort', () => reject(new DOMException('cancelled', 'AbortError')));
    signal?.addEventListener('abort', () => request.abort(), { once: true });
    request.send(form);
  });

/** Sends up to ten files in one request; resolves with what became of each, in their order. Throws Problem where none was imported. */
export const uploadFiles = async (files: readonly File[], options: UploadOptions): Promise<readonly UploadOutcome[]> => {
  const form = new FormData();
  for (const file of files) form.append('files', file, file.name);
  try {
    const body = (await sendForm({ path: '/api/documents/bulk-upload', form, files }, options)) as BulkUploadBody;
    return outcomesOf(files.length, body);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { reason, errors } = error.details;
    if (reason === NO_FILE_IMPORTED) return outcomesOf(files.length, { documents: [], errors: errors as BulkUploadBody['errors'] });
    if (error.status > 0) noticeRefusal(error);
    throw error;
  }
};
