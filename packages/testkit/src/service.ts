import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { waitFor, within } from '@sheaf/process';
import { z } from 'zod';

const ROOT = join(import.meta.dirname, '../../..');
const START_LIMIT_MS = 240_000;
const STOP_LIMIT_MS = 120_000;
/** What a program printed last may arrive after its end, and not all of it where it left another one behind. */
const LAST_WORDS_LIMIT_MS = 5_000;

export interface ServiceSettings {
  /** Where data, uploads and watch folder are; made and kept by the caller, so that a second start finds them. */
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
}

/** A Sheaf with all its processes, started as `npm start` starts it. */
export class RunningService implements AsyncDisposable {
  readonly folder: string;
  readonly process: ChildProcess;
  readonly #closed: Promise<unknown>;
  #output = '';

  constructor({ folder, env = {}, args = [] }: ServiceSettings) {
    this.folder = folder;
    this.process = spawn(process.execPath, [join(ROOT, 'apps/supervisor/src/main.ts'), ...args], {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env['PATH'] ?? '',
        ...CODE_CACHE_ENVIRONMENT,
        DATA_PATH: join(folder, 'data'),
        UPLOAD_PATH: join(folder, 'uploads'),
        WATCH_FOLDER: join(folder, 'watch'),
        USER_WATCH_BASE_DIR: join(folder, 'user_watch'),
        PROCESSED_FILES_DIR: join(folder, 'processed'),
        SERVER_ADDRESS: '127.0.0.1:0',
        PROBE_PORT_BASE: '0',
        RATE_LIMIT_ENABLED: 'false', // a test makes more requests in a minute than a person does
        EMBEDDED_POSTGRES_PORT: '0',
        WATCH_INTERVAL_SECONDS: '1',
        FILE_STABILITY_CHECK_MS: '200',
        OCR_LEASE_SECONDS: '3',
        OCR_RETRY_DELAY: '1',
        ...env,
      },
    });
    this.#closed = new Promise((resolve) => this.process.once('close', resolve));
    for (const stream of [this.process.stdout, this.process.stderr])
      stream?.on('data', (chunk: Buffer) => (this.#output += chunk.toString('utf8')));
  }

  /** Everything it has printed. */
  get output(): string {
    return this.#output;
  }

  get pid(): number {
    if (this.process.pid === undefined) throw new Error('the service was not started');
    return this.process.pid;
  }

  /** A client without credentials, once the service has said that it is ready. Fails with what it has printed where it ends or takes too long. */
  async ready(): Promise<ApiClient> {
    const url = await waitFor(
      async () => {
        if (this.#hasEnded()) {
          await within(this.#closed, LAST_WORDS_LIMIT_MS);
          throw new Error(`the service ended with ${this.process.exitCode ?? this.process.signalCode}:\n${this.#output}`);
        }
        return /Sheaf listens on (http:[^\s"]+)/.exec(this.#output)?.[1];
      },
      { description: () => `the service to listen; so far it said:\n${this.#output}`, limitMs: START_LIMIT_MS },
    );
    return new ApiClient(url);
  }

  /** The processes it has started, directly or not, by a word of their command line. */
  async processIds(word: string): Promise<number[]> {
    const all = await listProcesses();
    const mine = new Set([this.pid]);
    for (let before = 0; before !== mine.size; ) {
      before = mine.size;
      for (const { pid, parent } of all) if (mine.has(parent)) mine.add(pid);
    }
    return all.filter(({ pid, command }) => pid !== this.pid && mine.has(pid) && command.includes(word)).map(({ pid }) => pid);
  }

  /** Asks it to stop and resolves with its exit code. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    if (!this.#hasEnded()) this.process.kill(signal);
    await waitFor(() => this.#hasEnded(), {
      description: () => `the service to stop; it said:\n${this.#output.slice(-2_000)}`,
      limitMs: STOP_LIMIT_MS,
    });
    return this.process.exitCode;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #hasEnded(): boolean {
    return this.process.exitCode !== null || this.process.signalCode !== null;
  }
}

interface ProcessFacts {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

/** Every process of this machine, from /proc. Those that end meanwhile are left out. */
const listProcesses = async (): Promise<ProcessFacts[]> => {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const facts = await Promise.all(
    pids.map(async (pid) => {
      try {
        const [stat, command] = await Promise.all([readFile(`/proc/${pid}/stat`, 'utf8'), readFile(`/proc/${pid}/cmdline`, 'utf8')]);
        // the name in parentheses may hold anything; the parent is the second field behind it
        const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
        return [{ pid: Number(pid), parent, command: command.replaceAll('\0', ' ') }];
      } catch {
        return []; // ended meanwhile
      }
    }),
  );
  return facts.flat();
};

/** A folder for a service, with its watch folder, that is removed at the end of its scope. Any OS user may pass through it. */
export const makeServiceFolder = async (): Promise<{ path: string } & AsyncDisposable> => {
  const path = await mkdtemp(join(tmpdir(), 'sheaf-service-'));
  await mkdir(join(path, 'watch'));
  await chmod(path, 0o755);
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
};

/** Names the folder in which Node keeps compiled code: Node's own variable. */
export const CODE_CACHE_VARIABLE = 'NODE_COMPILE_CACHE';
/** Names the file in which `tests/runner/import-cache.js`, which NODE_OPTIONS loads, keeps what imports lead to. */
export const IMPORT_CACHE_VARIABLE = 'SHEAF_TEST_IMPORTS';
/** Set in a run of all cases, also those that the usual run leaves out. */
export const FULL_RUN_VARIABLE = 'SHEAF_TEST_FULL';

const CACHE_VARIABLES = [CODE_CACHE_VARIABLE, IMPORT_CACHE_VARIABLE, 'NODE_OPTIONS'];

/** What a program started by a test gets of the environment of the tests, beside its own variables: the caches of the run alone. */
export const CODE_CACHE_ENVIRONMENT: Readonly<Record<string, string>> = Object.fromEntries(
  CACHE_VARIABLES.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  }),
);

/** Whether this is `npm run test:full`. */
export const isFullRun = process.env[FULL_RUN_VARIABLE] !== undefined;

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
type DocumentFacts = z.infer<typeof documentFacts>;

const DEFAULT_PASSWORD = 'correct horse battery';

/** Talks to a running service as a client would. */
export class ApiClient {
  readonly url: string;
  readonly #headers: Record<string, string> = {};

  constructor(url: string, token?: string) {
    this.url = url;
    if (token !== undefined) this.#headers['authorization'] = `Bearer ${token}`;
  }

  /** Makes a user (the first one becomes administrator) and returns a client signed in as them. */
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
