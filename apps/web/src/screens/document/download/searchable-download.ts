import { addressOf } from '../../../interface/call.ts';
import { Problem, toProblem } from '../../../interface/problem.ts';

/** Where the service does not tell when to ask again. */
const WAIT_SECONDS = 2;

const ask = async (address: string): Promise<Response> => {
  try {
    return await fetch(address, { credentials: 'same-origin' });
  } catch {
    throw Problem.unreachable();
  }
};

/** Has the browser save the searchable PDF of a document as soon as it is made. Throws Problem. */
export const downloadSearchable = async (id: string, onProgress: (progress: number) => void): Promise<void> => {
  const address = addressOf('/api/documents/{id}/download', { params: { id }, query: { as: 'searchable' } });
  for (let response = await ask(address); ; response = await ask(address)) {
    if (!response.ok) throw await toProblem(response);
    if (response.status !== 202) {
      await response.body?.cancel(); // the browser fetches it again, straight to the disk
      break;
    }
    onProgress(((await response.json()) as { readonly progress: number }).progress);
    const seconds = Number(response.headers.get('Retry-After') ?? WAIT_SECONDS);
    await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
  }
  const link = document.createElement('a');
  link.href = address;
  link.download = '';
  link.click();
};
