import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A page as the service is asked to read it. */
export interface Submitted {
  readonly url: URL;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** Answers one request in place of the usual answer. */
export type Answer = (response: ServerResponse, request: IncomingMessage) => void;

export interface AzureReadStub extends AsyncDisposable {
  readonly endpoint: string;
  readonly key: string;
  /** Pages that were accepted. */
  readonly submitted: readonly Submitted[];
  /** Method and path of every request, in order. */
  readonly requests: readonly string[];
  /** The next requests to hand in a page are answered by these. */
  readonly onSubmit: Answer[];
  /** The next looks at a result are answered by these. */
  readonly onLook: Answer[];
}

interface StubOptions {
  /** The lines of the page, by paragraph. */
  readonly text?: readonly (readonly string[])[];
  /** How often a result is `running` before it is there. */
  readonly running?: number;
  readonly confidence?: number;
}

const ANALYZE = '/documentintelligence/documentModels/prebuilt-read:analyze';
const RESULTS = '/documentintelligence/documentModels/prebuilt-read/analyzeResults/';

export const sendJson = (response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
};

export const sendError = (
  response: ServerResponse,
  status: number,
  code: string,
  message: string,
  headers?: Record<string, string>,
): void => sendJson(response, status, { error: { code, message } }, headers);

export const sendStatus = (response: ServerResponse, status: 'notStarted' | 'running' | 'failed', more: object = {}): void => {
  const now = new Date().toISOString();
  sendJson(response, 200, { status, createdDateTime: now, lastUpdatedDateTime: now, ...more });
};

/** An analyzeResult of one page in which every line is a row of words. */
const analyzeResult = (paragraphs: readonly (readonly string[])[], confidence: number) => {
  const content = paragraphs.map((lines) => lines.join('\n')).join('\n');
  const polygon = [0, 0, 100, 0, 100, 20, 0, 20];
  const [words, lines, marked]: [object[], object[], object[]] = [[], [], []];
  let offset = 0;
  for (const paragraph of paragraphs) {
    const begin = offset;
    for (const line of paragraph) {
      lines.push({ content: line, polygon, spans: [{ offset, length: line.length }] });
      for (const { 0: word, index } of line.matchAll(/\S+/g)) {
        words.push({ content: word, polygon, confidence, span: { offset: offset + index, length: word.length } });
      }
      offset += line.length + 1;
    }
    marked.push({ content: paragraph.join('\n'), spans: [{ offset: begin, length: offset - begin - 1 }] });
  }
  const page = {
    pageNumber: 1,
    angle: 0,
    width: 100,
    height: 100,
    unit: 'pixel',
    spans: [{ offset: 0, length: content.length }],
    words,
    lines,
  };
  return {
    apiVersion: '2024-11-30',
    modelId: 'prebuilt-read',
    stringIndexType: 'utf16CodeUnit',
    content,
    pages: [page],
    paragraphs: marked,
  };
};

/** The "read" model of Azure Document Intelligence, as far as its wire goes: 202 with a place to look, then running, then the result. */
export const openAzureReadStub = async (options: StubOptions = {}): Promise<AzureReadStub> => {
  const { text = [['Hello world']], running = 1, confidence = 0.95 } = options;
  const key = `key-${randomUUID()}`;
  const submitted: Submitted[] = [];
  const requests: string[] = [];
  const [onSubmit, onLook]: [Answer[], Answer[]] = [[], []];
  const looks = new Map<string, number>();

  const accept = async (request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> => {
    const body = await buffer(request);
    const answer = onSubmit.shift();
    if (answer !== undefined) return answer(response, request);
    submitted.push({ url, headers: request.headers, body });
    const id = randomUUID();
    looks.set(id, 0);
    const location = `http://${request.headers.host}${RESULTS}${id}?api-version=2024-11-30`;
    response.writeHead(202, { 'operation-location': location, 'apim-request-id': id }).end();
  };

  const look = (request: IncomingMessage, response: ServerResponse, id: string): void => {
    const answer = onLook.shift();
    if (answer !== undefined) return answer(response, request);
    const seen = looks.get(id);
    if (seen === undefined) return sendError(response, 404, 'NotFound', 'Resource not found.');
    looks.set(id, seen + 1);
    if (seen < running) return sendStatus(response, 'running');
    const now = new Date().toISOString();
    const result = analyzeResult(text, confidence);
    sendJson(response, 200, { status: 'succeeded', createdDateTime: now, lastUpdatedDateTime: now, analyzeResult: result });
  };

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', 'http://stub');
    requests.push(`${request.method} ${url.pathname}`);
    if (request.headers['ocp-apim-subscription-key'] !== key) {
      const message = 'Access denied due to invalid subscription key or wrong API endpoint.';
      return sendError(response, 401, '401', message);
    }
    if (url.searchParams.get('api-version') !== '2024-11-30') return sendError(response, 404, 'NotFound', 'Resource not found.');
    if (request.method === 'POST' && url.pathname === ANALYZE) return accept(request, response, url);
    if (request.method === 'GET' && url.pathname.startsWith(RESULTS)) return look(request, response, url.pathname.slice(RESULTS.length));
    sendError(response, 404, 'NotFound', 'Resource not found.');
  };

  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    key,
    submitted,
    requests,
    onSubmit,
    onLook,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
