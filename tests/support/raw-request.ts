import { type IncomingHttpHeaders, request } from 'node:http';
import { buffer } from 'node:stream/consumers';

interface Raw {
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly method: string;
}

interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** As they came: fetch would decode them. */
  readonly bytes: Buffer;
  readonly text: string;
}

/** A request as it is written: neither its path nor its headers are mended, nor the answer decoded. */
export const rawRequest = ({ port, path, headers, method }: Raw): Promise<RawAnswer> =>
  new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, method, headers, agent: false }, (response) => {
      buffer(response).then((bytes) => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes, text: bytes.toString() });
      }, reject);
    })
      .on('error', reject)
      .end();
  });
