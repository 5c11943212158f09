import type { EinvoiceErrorCode } from '@sheaf/einvoice';
import { ublXml } from './ubl-xml.ts';

export interface HostileXml {
  readonly code: EinvoiceErrorCode;
  readonly make: () => Iterable<string>;
}

function* repeated(before: string, piece: string, times: number, after: string): Generator<string> {
  yield before;
  for (let i = 0; i < times; i += 1) yield piece;
  yield after;
}

const whole = (xml: string) => (): string[] => [xml];

const laughs = `<!DOCTYPE Invoice [<!ENTITY l0 "ha">${Array.from({ length: 9 }, (_, i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(10)}">`).join('')}]>`;

const MEGABYTE = 'x'.repeat(1024 ** 2);

/** Documents that are meant to read files, to ask the network, or to use up time and memory. */
export const HOSTILE: Readonly<Record<string, HostileXml>> = {
  'has a document type': { code: 'doctype_refused', make: whole(ublXml({ beforeRoot: '<!DOCTYPE Invoice>' })) },
  'reads a file through an entity': {
    code: 'doctype_refused',
    make: whole(ublXml({ beforeRoot: '<!DOCTYPE Invoice [<!ENTITY x SYSTEM "file:///etc/passwd">]>', sellerName: '&x;' })),
  },
  'has a document type elsewhere': {
    code: 'doctype_refused',
    make: whole(ublXml({ beforeRoot: '<!DOCTYPE Invoice SYSTEM "http://127.0.0.1:9/invoice.dtd">' })),
  },
  'has entities that grow without end': { code: 'doctype_refused', make: whole(ublXml({ beforeRoot: laughs, sellerName: '&l9;' })) },
  'has a document type of 50 MB': {
    code: 'too_large',
    make: () => repeated('<!DOCTYPE Invoice [<!ENTITY a "', MEGABYTE, 50, `">]>${ublXml({ declaration: '' })}`),
  },
  'refers to an entity that is not declared': { code: 'entity_refused', make: whole(ublXml({ sellerName: '&secret;' })) },
  'has an attribute of 50 MB': { code: 'too_large', make: () => repeated('<Invoice a="', MEGABYTE, 50, '"/>') },
  'has a text of 50 MB': { code: 'too_large', make: () => repeated(ublXml().slice(0, -'</Invoice>'.length), MEGABYTE, 50, '</Invoice>') },
  'has a comment of 50 MB before its root': {
    code: 'too_large',
    make: () => repeated('<!--', MEGABYTE, 50, `-->${ublXml({ declaration: '' })}`),
  },
  'has a name of 50 MB': { code: 'too_large', make: () => repeated('<', MEGABYTE, 50, '/>') },
  'has a million attributes': {
    code: 'too_large',
    make: () => [ublXml({ rootAttributes: Array.from({ length: 1_000_000 }, (_, i) => ` a${i}=""`).join('') })],
  },
  'has 100,000 elements inside each other': {
    code: 'too_deep',
    make: whole(ublXml({ lines: `${'<cac:Line>'.repeat(100_000)}${'</cac:Line>'.repeat(100_000)}` })),
  },
  'has a million lines': { code: 'too_large', make: () => [ublXml({ lines: '<cac:InvoiceLine/>'.repeat(1_000_000) })] },
  'has a million notes': { code: 'too_large', make: () => [ublXml({ head: '<cbc:Note/>'.repeat(1_000_000) })] },
  'has an attachment of 50 MB': {
    code: 'too_large',
    make: () => repeated(`${ublXml().slice(0, -'</Invoice>'.length)}<cbc:EmbeddedDocumentBinaryObject>`, MEGABYTE, 50, '</Invoice>'),
  },
  'is cut': { code: 'truncated', make: whole(ublXml().slice(0, 1_500)) },
  'is cut within a tag': { code: 'truncated', make: whole(ublXml().slice(0, -3)) },
  'has tags that do not match': { code: 'not_well_formed', make: whole(ublXml({ lines: '<cac:InvoiceLine></cac:Line>' })) },
  'uses a prefix without a namespace': { code: 'not_well_formed', make: whole(ublXml({ lines: '<other:Line/>' })) },
  'goes on after its root': { code: 'not_well_formed', make: whole(`${ublXml()}<Invoice/>`) },
  'is of another kind': { code: 'not_einvoice', make: whole('<Order xmlns="urn:oasis:names:specification:ubl:schema:xsd:Order-2"/>') },
  'is empty': { code: 'not_einvoice', make: whole('') },
};

/** As a stream of bytes. */
export async function* bytesOf({ make }: HostileXml): AsyncGenerator<Uint8Array> {
  for (const piece of make()) yield Buffer.from(piece);
}
