import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { z } from 'zod';

const attributes = z
  .array(z.object({ key: z.string(), value: z.record(z.string(), z.unknown()) }))
  .transform((all) => Object.fromEntries(all.map(({ key, value }) => [key, Object.values(value)[0]])));

const otlpSpan = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
  kind: z.number(),
  attributes,
  status: z.object({ code: z.number() }),
});

const otlpRequest = z.object({
  resourceSpans: z.array(z.object({ resource: z.object({ attributes }), scopeSpans: z.array(z.object({ spans: z.array(otlpSpan) })) })),
});

/** A span as a collector gets it. */
export type SentSpan = z.infer<typeof otlpSpan> & { readonly resource: Readonly<Record<string, unknown>> };

export interface OtlpSink extends AsyncDisposable {
  /** For TRACE_COLLECTOR_ENDPOINT. */
  readonly endpoint: string;
  readonly spans: readonly SentSpan[];
  /** Paths of all requests. */
  readonly requests: readonly string[];
  /** All that was received, as text. */
  readonly bodies: readonly string[];
  /** How requests are answered from now on; not answering is a way too. */
  answer(how: (response: ServerResponse) => void): void;
}

/** A collector that takes traces by OTLP over HTTP, as JSON. */
export const startOtlpSink = async (): Promise<OtlpSink> => {
  const [spans, requests, bodies]: [SentSpan[], string[], string[]] = [[], [], []];
  let answer = (response: ServerResponse): void => void response.setHeader('content-type', 'application/json').end('{}');
  const server = createServer((request, response) => {
    const take = async (): Promise<void> => {
      const body = await text(request);
      requests.push(request.url ?? '');
      bodies.push(body);
      for (const { resource, scopeSpans } of otlpRequest.parse(JSON.parse(body)).resourceSpans)
        for (const scope of scopeSpans) spans.push(...scope.spans.map((span) => ({ ...span, resource: resource.attributes })));
      answer(response);
    };
    take().catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    requests,
    bodies,
    answer: (how) => {
      answer = how;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
