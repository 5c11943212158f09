import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { waitFor } from '@sheaf/process';
import { z } from 'zod';

const anyBody = z.record(z.string(), z.unknown());

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

/** What tests look at in a document. */
const documentFacts = z.looseObject({
  id: z.string(),
  status: z.string(),
  content: z.string(),
  sha256: z.string(),
  page_count: z.number().nullable(),
  error: z.looseObject({ code: z.string(), message: z.string() }).nullable(),
});
export type DocumentFacts = z.infer<typeof documentFacts>;

const DEFAULT_PASSWORD = 'correct horse battery';

/** Talks to a running service as a client would. */
export class ApiClient {
  readonly url: string;
  readonly #headers: Record<string, string> = {};

  constructor(url: string, token?: string) {
    this.url = url;
    if (token !== undefined) this.#headers['authorization'] = `Bearer ${token}`;
  }

  /** Makes a user (the first one becomes administrator) and returns a client signed in as him. */
  async register(username: string, role?: string): Promise<ApiClient> {
    const { status, body } = await this.post('/api/auth/register', {
      username,
      email: `${username}@example.org`,
      password: DEFAULT_PASSWORD,
      ...(role === undefined ? {} : { role }),
    });
    if (status !== 201) throw new Error(`register answered ${status}: ${JSON.stringify(body)}`);
    return this.login(username);
  }

  async login(username: string, password: string = DEFAULT_PASSWORD): Promise<ApiClient> {
    const { status, body } = await this.post('/api/auth/login', { username, password });
    if (status !== 200) throw new Error(`login answered ${status}: ${JSON.stringify(body)}`);
    return new ApiClient(this.url, String(body['token']));
  }

  async request(path: string, init: RequestInit = {}): Promise<Response> {
    return fetch(`${this.url}${path}`, { ...init, headers: { ...this.#headers, ...(init.headers as Record<string, string> | undefined) } });
  }

  async get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return toAnswer(await this.request(path, { headers }));
  }

  async post(path: string, body: unknown): Promise<Answer> {
    return this.send('POST', path, body);
  }

  async send(method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body: unknown): Promise<Answer> {
    return toAnswer(await this.request(path, { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }));
  }

  async delete(path: string): Promise<Answer> {
    return toAnswer(await this.request(path, { method: 'DELETE' }));
  }

  /** Uploads a file of the disk, or bytes under a name. */
  async upload(
    file: string | { name: string; bytes: Uint8Array<ArrayBuffer> },
    fields: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    const { name, bytes } = typeof file === 'string' ? { name: basename(file), bytes: new Uint8Array(await readFile(file)) } : file;
    const form = new FormData();
    for (const [key, value] of Object.entries(fields)) form.set(key, value);
    form.set('file', new Blob([bytes]), name);
    return toAnswer(await this.request('/api/documents/upload', { method: 'POST', body: form }));
  }

  async document(id: string): Promise<DocumentFacts> {
    return documentFacts.parse((await this.get(`/api/documents/${id}`)).body);
  }

  /** The document once it is read or has failed. */
  waitForEnd(id: string, limitMs = 240_000): Promise<DocumentFacts> {
    return waitFor(
      async () => {
        const document = await this.document(id);
        return document.status === 'completed' || document.status === 'failed' ? document : undefined;
      },
      { description: `document ${id} to be read`, limitMs, everyMs: 100 },
    );
  }

  /** The ids of the documents a search finds. */
  async find(q: string): Promise<string[]> {
    const { status, body } = await this.get(`/api/search?${new URLSearchParams({ q, per_page: '100' }).toString()}`);
    if (status !== 200) throw new Error(`search answered ${status}: ${JSON.stringify(body)}`);
    return z
      .array(z.looseObject({ document_id: z.string() }))
      .parse(body['results'])
      .map((hit) => hit.document_id);
  }
}

const toAnswer = async (response: Response): Promise<Answer> => {
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  return { status: response.status, headers: response.headers, body: isJson ? anyBody.parse(JSON.parse(text)) : {} };
};
