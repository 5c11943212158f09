import { csrfHeader, noticeRefusal } from './call.ts';
import { Problem, toProblem } from './problem.ts';

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
