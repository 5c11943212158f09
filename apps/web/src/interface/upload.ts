import { csrfHeader } from './call.ts';
import { Problem, problemOf } from './problem.ts';
import { noticeStatus } from './session-end.ts';

export interface UploadFields {
  readonly title?: string;
  /** Ids. */
  readonly labels?: readonly string[];
  readonly language?: string;
}

export interface UploadOptions extends UploadFields {
  /** 0 to 1. */
  readonly onProgress?: (share: number) => void;
  readonly signal?: AbortSignal;
}

/** Sends one file; resolves with the new document. Throws Problem, of a duplicate DUPLICATE_RESOURCE with `details.document_id`. */
export const uploadFile = (
  file: File,
  { title, labels, language, onProgress, signal }: UploadOptions = {},
): Promise<{ readonly id: string }> =>
  new Promise((resolve, reject) => {
    const form = new FormData();
    if (title !== undefined && title !== '') form.set('title', title);
    if (labels !== undefined && labels.length > 0) form.set('labels', labels.join(','));
    if (language !== undefined) form.set('language', language);
    form.set('file', file, file.name);
    // fetch tells nothing of how far a body has gone
    const request = new XMLHttpRequest();
    request.open('POST', '/api/documents/upload');
    for (const [name, value] of Object.entries(csrfHeader())) request.setRequestHeader(name, value);
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress?.(total === 0 ? 0 : loaded / total));
    request.addEventListener('load', () => {
      noticeStatus(request.status);
      if (request.status === 201) resolve(JSON.parse(request.responseText) as { id: string });
      else reject(problemOf(request.status, request.responseText, request.getResponseHeader('Retry-After')));
    });
    request.addEventListener('error', () => reject(Problem.unreachable()));
    request.addEventListener('abort', () => reject(new DOMException('cancelled', 'AbortError')));
    signal?.addEventListener('abort', () => request.abort(), { once: true });
    request.send(form);
  });
