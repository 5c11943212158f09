import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inflateRawSync } from 'node:zlib';
import { makeKeyPair } from './certificate.ts';
import { encode, idpMetadata, responseXml, signAssertion } from './saml-provider.ts';

/** A SAML 2.0 identity provider with a page, on loopback: one may say yes there, as `account`, or no. */
export interface SamlSignInPage extends AsyncDisposable {
  readonly origin: string;
  readonly metadata: string;
}

interface Service {
  readonly acsUrl: string;
  readonly audience: string;
  readonly account: string;
}

const formOf = (acsUrl: string, label: string, xml: string): string =>
  `<form method="post" action="${acsUrl}"><button name="SAMLResponse" value="${encode(xml)}">${label}</button></form>`;

export const startSamlSignInPage = async ({ acsUrl, audience, account }: Service): Promise<SamlSignInPage> => {
  const pair = await makeKeyPair('idp');
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://idp.invalid');
    const sent = inflateRawSync(Buffer.from(searchParams.get('SAMLRequest') ?? '', 'base64')).toString();
    const requestId = / ID="([^"]+)"/.exec(sent)?.[1] ?? '';
    const facts = { requestId, acsUrl, audience, nameId: account, attributes: { uid: [account] } };
    const yes = formOf(acsUrl, 'Yes', signAssertion(responseXml(facts), pair));
    const no = formOf(acsUrl, 'No', responseXml({ ...facts, status: 'AuthnFailed' }, ''));
    response.setHeader('content-type', 'text/html').end(`<!doctype html><title>Identity provider</title>${yes}${no}`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    metadata: idpMetadata([pair], `${origin}/sign-in`),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
