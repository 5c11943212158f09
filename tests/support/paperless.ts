import type { Answer, ApiClient } from '@sheaf/testkit';
import { z } from 'zod';

// What must be there, and of which type, for the decoders of swift-paperless; they ignore all else.
const uint = z.int().nonnegative();
const day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/);
const time = z.iso.datetime({ offset: true });
const people = z.looseObject({ users: z.array(uint), groups: z.array(uint) });
const permissions = z.looseObject({ view: people, change: people });

export const swiftNote = z.looseObject({
  id: uint,
  note: z.string(),
  created: time,
  user: z.union([uint, z.looseObject({ id: uint, username: z.string() })]).nullish(),
});

export const swiftDocument = z.looseObject({
  id: uint,
  title: z.string(),
  archive_serial_number: uint.nullish(),
  document_type: uint.nullish(),
  correspondent: uint.nullish(),
  created: day,
  tags: z.array(uint),
  added: time.nullish(),
  modified: time.nullish(),
  original_file_name: z.string().nullish(),
  archived_file_name: z.string().nullish(),
  storage_path: uint.nullish(),
  owner: uint.nullish(),
  page_count: z.int().nullish(),
  notes: z.union([z.array(swiftNote), z.array(uint)]).nullish(),
  custom_fields: z.array(z.looseObject({ field: uint, value: z.unknown() })).nullish(),
  user_can_change: z.boolean().nullish(),
  permissions: permissions.nullish(),
});

const matching = { slug: z.string(), match: z.string(), matching_algorithm: z.int().min(0).max(6), is_insensitive: z.boolean() };
const color = z.string().regex(/^#[0-9a-fA-F]{6}$/);

export const swiftTag = z.looseObject({
  id: uint,
  is_inbox_tag: z.boolean(),
  name: z.string(),
  color,
  text_color: color,
  ...matching,
  parent: uint.nullish(),
  children: z.array(z.looseObject({ id: uint, name: z.string() })).nullish(),
});

export const swiftEntry = z.looseObject({ id: uint, name: z.string(), document_count: uint.nullish(), ...matching });

export const swiftField = z.looseObject({
  id: uint,
  name: z.string(),
  data_type: z.enum(['string', 'url', 'date', 'boolean', 'integer', 'float', 'monetary', 'documentlink', 'select', 'longtext']),
  extra_data: z
    .looseObject({
      select_options: z.array(z.looseObject({ id: z.string(), label: z.string() }).nullable()).nullish(),
      default_currency: z.string().nullish(),
    })
    .nullish(),
  document_count: uint.nullish(),
});

export const swiftView = z.looseObject({
  id: uint,
  name: z.string(),
  show_on_dashboard: z.boolean().nullish(),
  show_in_sidebar: z.boolean().nullish(),
  sort_field: z.string().nullish(),
  sort_reverse: z.boolean(),
  filter_rules: z.array(z.looseObject({ rule_type: z.int(), value: z.string().nullable() })),
  owner: uint.nullish(),
});

export const swiftUser = z.looseObject({ id: uint, is_superuser: z.boolean(), username: z.string(), groups: z.array(uint).nullish() });

export const swiftSettings = z.looseObject({
  user: swiftUser,
  settings: z.looseObject({
    document_editing: z.looseObject({ remove_inbox_tags: z.boolean() }),
    permissions: z.looseObject({ default_owner: uint.nullish(), default_view_users: z.array(uint) }),
    saved_views: z.looseObject({ dashboard_views_visible_ids: z.array(uint), sidebar_views_visible_ids: z.array(uint) }),
    app_title: z.string().nullish(),
  }),
  permissions: z.array(z.string().regex(/^(?:view|add|change|delete)_[a-z]+$/)),
});

export const swiftTask9 = z.looseObject({
  id: uint,
  task_id: z.uuid(),
  task_file_name: z.string().nullish(),
  task_name: z.string().nullish(),
  date_created: time.nullish(),
  date_done: time.nullish(),
  type: z.string(),
  status: z.enum(['PENDING', 'STARTED', 'SUCCESS', 'FAILURE', 'RETRY', 'REVOKED']),
  result: z.string().nullish(),
  acknowledged: z.boolean(),
  related_document: z.string().nullish(),
});

export const swiftTask10 = z.looseObject({
  id: uint,
  task_id: z.uuid(),
  task_type: z.string(),
  status: z.enum(['pending', 'started', 'success', 'failure', 'revoked']),
  date_created: time,
  date_started: time.nullable(),
  date_done: time.nullable(),
  input_data: z.looseObject({ filename: z.string() }),
  result_data: z.looseObject({ document_id: uint }).nullable(),
  result_message: z.string().nullable(),
  related_document_ids: z.array(uint),
  acknowledged: z.boolean(),
  owner: uint.nullable(),
});

export const swiftMetadata = z.looseObject({
  original_checksum: z.string(),
  original_size: z.int(),
  original_mime_type: z.string(),
  media_filename: z.string(),
  has_archive_version: z.boolean(),
  original_metadata: z.array(z.looseObject({ namespace: z.string(), prefix: z.string(), key: z.string(), value: z.string() })),
  archive_checksum: z.string().nullish(),
  original_filename: z.string(),
  lang: z.string(),
});

export const swiftSuggestions = z.looseObject({
  correspondents: z.array(uint),
  tags: z.array(uint),
  document_types: z.array(uint),
  storage_paths: z.array(uint),
  dates: z.array(day),
});

export const listOf = <T extends z.ZodType>(item: T) =>
  z.looseObject({ count: uint, next: z.url().nullable(), previous: z.url().nullable(), results: z.array(item) });

export interface PaperlessAnswer extends Omit<Answer, 'body'> {
  readonly body: unknown;
}

/** Talks to the Paperless-compatible API as an app does that was given https://host/paperless. */
export class PaperlessClient {
  readonly #api: ApiClient;
  readonly #headers: Readonly<Record<string, string>>;
  readonly url: string;

  /** `api` without credentials. */
  constructor(api: ApiClient, token?: string, version: 9 | 10 = 9) {
    this.#api = api;
    this.url = `${api.url}/paperless/api/`;
    this.#headers = {
      accept: `application/json; version=${version}`,
      ...(token === undefined ? {} : { authorization: `Token ${token}` }),
    };
  }

  static async signIn(api: ApiClient, username: string, version: 9 | 10 = 9): Promise<PaperlessClient> {
    const { body, status } = await new PaperlessClient(api).post('token/', { username, password: 'correct horse battery' });
    if (status !== 200) throw new Error(`token answered ${status}: ${JSON.stringify(body)}`);
    return new PaperlessClient(api, z.looseObject({ token: z.string() }).parse(body).token, version);
  }

  async request(path: string, init: RequestInit = {}): Promise<Response> {
    return this.#api.request(`/paperless/api/${path}`, {
      ...init,
      headers: { ...this.#headers, ...(init.headers as Record<string, string> | undefined) },
    });
  }

  async get(path: string): Promise<PaperlessAnswer> {
    return toAnswer(await this.request(path));
  }

  /** The answer in the form that a decoder of swift-paperless takes; throws where it is another one. */
  async read<T>(path: string, form: z.ZodType<T>): Promise<T> {
    const { status, body } = await this.get(path);
    if (status !== 200) throw new Error(`${path} answered ${status}: ${JSON.stringify(body)}`);
    return form.parse(body);
  }

  async post(path: string, body: unknown): Promise<PaperlessAnswer> {
    return this.send('POST', path, body);
  }

  async send(method: string, path: string, body?: unknown): Promise<PaperlessAnswer> {
    const content = body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    return toAnswer(await this.request(path, { method, ...content }));
  }

  /** The id of what is made. */
  async create(list: string, body: unknown): Promise<number> {
    const answer = await this.post(`${list}/`, body);
    if (answer.status !== 201) throw new Error(`${list} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    return z.looseObject({ id: z.int() }).parse(answer.body).id;
  }

  /** Uploads text as scanner programs upload a scan: the file first, then what is known of it. */
  async upload(name: string, text: string, fields: readonly (readonly [string, string])[] = []): Promise<PaperlessAnswer> {
    const form = new FormData();
    form.append('document', new Blob([text], { type: 'text/plain' }), name);
    for (const [field, value] of fields) form.append(field, value);
    return toAnswer(await this.request('documents/post_document/', { method: 'POST', body: form }));
  }

  /** The number of a document of which an upload answered the task. */
  async numberOf(title: string): Promise<number> {
    const { results } = await this.read(`documents/?title__iexact=${encodeURIComponent(title)}`, listOf(swiftDocument));
    const [first] = results;
    if (first === undefined) throw new Error(`no document has the title ${title}`);
    return first.id;
  }
}

const toAnswer = async (response: Response): Promise<PaperlessAnswer> => {
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  return { status: response.status, headers: response.headers, body: isJson ? (JSON.parse(text) as unknown) : text };
};
