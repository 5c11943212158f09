// Responses that must not let anybody in.
import type { SamlSettings } from '@sheaf/accounts';
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import { makeKeyPair } from '../../support/certificate.ts';
import { type BegunSignIn, begin, type GivenSaml, givenSaml } from '../../support/given-saml.ts';
import {
  assertionXml,
  encode,
  type ResponseFacts,
  RSA_SHA1,
  responseXml,
  signAssertion,
  signResponse,
} from '../../support/saml-provider.ts';

const test = anyTest as TestFn<GivenSaml>;
let given: GivenSaml;
test.before(async () => {
  given = await givenSaml();
});
test.beforeEach((t) => {
  t.context = given;
});
test.after.always(() => given[Symbol.asyncDispose]());

const INVALID = { code: 'SIGN_IN_INVALID' };
const EXPIRED = { code: 'SIGN_IN_EXPIRED' };

/** Sends what `make` makes of a good answer, and sees it refused; then the good answer itself, which must let in. */
const refuses = async (
  t: ExecutionContext<GivenSaml>,
  make: (begun: BegunSignIn, good: string) => string | Promise<string>,
  { settings = {}, code = 'SIGN_IN_INVALID' }: { settings?: Partial<SamlSettings>; code?: string } = {},
): Promise<void> => {
  const begun = await begin(t.context, settings);
  const good = signAssertion(responseXml({ ...begun.facts, attributes: { uid: ['ann'] } }), t.context.idp);
  await t.throwsAsync(begun.driver.finish(encode(await make(begun, good)), begun.cookie), { code });
  const { identity } = await begun.driver.finish(encode(good), begun.cookie);
  t.is(identity.username, 'ann', 'the answer it was made of is good');
};

const change = (xml: string, from: string | RegExp, to: string): string => {
  const changed = xml.replace(from, to);
  if (changed === xml) throw new Error(`nothing to change: ${from}`);
  return changed;
};

test('a changed attribute, name id or condition', async (t) => {
  await refuses(t, (_begun, good) => change(good, '>ann<', '>root<'));
  await refuses(t, (_begun, good) => change(good, '>ann-1<', '>root-1<'));
  await refuses(t, (_begun, good) => change(good, /NotOnOrAfter="\d{4}/g, 'NotOnOrAfter="2099'));
});

test('a changed signature', async (t) => {
  await refuses(t, (_begun, good) => change(good, /<ds:SignatureValue>..../, '<ds:SignatureValue>AAAA'));
  await refuses(t, (_begun, good) => change(good, /<ds:DigestValue>..../, '<ds:DigestValue>AAAA'));
});

test('no signature', async (t) => {
  await refuses(t, ({ facts }) => responseXml(facts));
  await refuses(t, (_begun, good) => change(good, /<ds:Signature .*<\/ds:Signature>/, ''));
});

test('a signed response with an assertion that is not signed itself', async (t) => {
  await refuses(t, ({ facts }) => signResponse(responseXml(facts), t.context.idp));
});

test('the signature of somebody else, whatever certificate stands beside it', async (t) => {
  const stranger = await makeKeyPair('stranger');
  await refuses(t, ({ facts }) => signAssertion(responseXml(facts), stranger));
});

test('a signature with SHA-1', async (t) => {
  await refuses(t, ({ facts }) => signAssertion(responseXml(facts), t.context.idp, RSA_SHA1));
});

test('an answer that came already, also at the same time', async (t) => {
  const { driver, cookie, facts } = await begin(t.context);
  const response = encode(signAssertion(responseXml(facts), t.context.idp));
  const all = await Promise.allSettled(Array.from({ length: 4 }, () => driver.finish(response, cookie)));
  t.is(all.filter(({ status }) => status === 'fulfilled').length, 1);
  await t.throwsAsync(driver.finish(response, cookie), EXPIRED);
});

test('an assertion that came already, in answer to another request of ours', async (t) => {
  // both requests are open and the assertion names each in a confirmation of its own: only its id tells
  const [first, second] = [await begin(t.context), await begin(t.context)];
  const assertionId = '_seen-before';
  const xmlFor = ({ facts }: BegunSignIn) => encode(signAssertion(responseXml({ ...facts, assertionId }), t.context.idp));
  await first.driver.finish(xmlFor(first), first.cookie);
  await t.throwsAsync(second.driver.finish(xmlFor(second), second.cookie), EXPIRED);
});

const minutes = (count: number): Date => new Date(Date.now() + count * 60_000);

const WRONG: readonly (readonly [title: string, changes: () => Partial<ResponseFacts>, code?: string])[] = [
  ['that has expired', () => ({ notOnOrAfter: minutes(-2) })],
  ['that is not valid yet', () => ({ notBefore: minutes(2) })],
  ['wrong audience', () => ({ audience: 'https://other.example/saml' })],
  ['for another recipient', () => ({ recipient: 'https://other.example/acs' })],
  ['for no recipient', () => ({ confirmation: { Recipient: undefined } })],
  ['whose confirmation has no end', () => ({ confirmation: { NotOnOrAfter: undefined } })],
  ['whose confirmation has expired', () => ({ confirmation: { NotOnOrAfter: minutes(-2).toISOString() } })],
  ['that answers nothing', () => ({ confirmation: { InResponseTo: undefined } })],
  ['that answers a request we never sent', () => ({ confirmation: { InResponseTo: '_made-up' } }), 'SIGN_IN_EXPIRED'],
  ['of another issuer', () => ({ issuer: 'https://other.example/idp' })],
  ['for another address', () => ({ destination: 'https://other.example/acs' })],
  ['with times that are none', () => ({ confirmation: { NotOnOrAfter: 'tomorrow' } })],
];

for (const [title, changes, code] of WRONG) {
  test(`an assertion ${title}`, async (t) => {
    await refuses(
      t,
      ({ facts }) => signAssertion(responseXml({ ...facts, ...changes() }), t.context.idp),
      code === undefined ? {} : { code },
    );
  });
}

test('an answer in a browser that did not begin the sign-in', async (t) => {
  const mine = await begin(t.context);
  const other = await begin(t.context);
  await t.throwsAsync(mine.driver.finish(encode(signAssertion(responseXml(mine.facts), t.context.idp)), other.cookie), EXPIRED);
  await t.throwsAsync(other.driver.finish(encode(signAssertion(responseXml(other.facts), t.context.idp)), undefined), EXPIRED);
});

test('an answer after more than ten minutes', async (t) => {
  let now = Date.now();
  const { driver, cookie, facts } = await begin(t.context, {}, undefined, { now: () => new Date(now) });
  now += 10 * 60_000 + 1;
  const later = { notOnOrAfter: minutes(20) };
  await t.throwsAsync(driver.finish(encode(signAssertion(responseXml({ ...facts, ...later }), t.context.idp)), cookie), EXPIRED);
});

test('a failure that the provider tells of', async (t) => {
  await refuses(t, ({ facts }) => responseXml({ ...facts, status: 'AuthnFailed' }, ''), { code: 'SIGN_IN_REFUSED' });
});

const assertionOf = (xml: string): string => /<saml:Assertion .*<\/saml:Assertion>/.exec(xml)?.[0] ?? '';
const signatureOf = (xml: string): string => /<ds:Signature .*<\/ds:Signature>/.exec(xml)?.[0] ?? '';
const idOf = (assertion: string): string => / ID="([^"]+)"/.exec(assertion)?.[1] ?? '';

/** The ways to wrap a good signed assertion so that a careless reader verifies one and reads another. */
const WRAPPINGS: readonly (readonly [title: string, wrap: (good: string, facts: ResponseFacts) => string])[] = [
  ['an evil assertion before the good one', (good, facts) => change(good, '<saml:Assertion ', `${evil(facts)}<saml:Assertion `)],
  ['an evil assertion after the good one', (good, facts) => change(good, '</samlp:Response>', `${evil(facts)}</samlp:Response>`)],
  [
    'an evil assertion of the same id before the good one',
    (good, facts) => change(good, '<saml:Assertion ', `${evil(facts, idOf(assertionOf(good)))}<saml:Assertion `),
  ],
  [
    'the good one inside the signature of the evil one',
    (good, facts) => {
      const [assertion, signature] = [assertionOf(good), signatureOf(good)];
      const bare = assertion.replace(signature, '');
      const holding = signature.replace('</ds:Signature>', `<ds:Object>${bare}</ds:Object></ds:Signature>`);
      return good.replace(assertion, evil(facts).replace('</saml:Issuer>', `</saml:Issuer>${holding}`));
    },
  ],
  [
    'the good one inside the evil one, which carries its signature and its id',
    (good, facts) => {
      const [assertion, signature] = [assertionOf(good), signatureOf(good)];
      const outer = evil(facts, idOf(assertion)).replace('</saml:Issuer>', `</saml:Issuer>${signature}`);
      return good.replace(assertion, outer.replace('</saml:Assertion>', `<saml:Advice>${assertion}</saml:Advice></saml:Assertion>`));
    },
  ],
  [
    'the good one in the extensions, the evil one in its place',
    (good, facts) => good.replace(assertionOf(good), `<samlp:Extensions>${assertionOf(good)}</samlp:Extensions>${evil(facts)}`),
  ],
  [
    'the evil one with a copy of the good signature',
    (good, facts) => good.replace(assertionOf(good), evil(facts, '_evil').replace('</saml:Issuer>', `</saml:Issuer>${signatureOf(good)}`)),
  ],
  ['a good response inside an evil one', (good, facts) => responseXml(facts, `${evil(facts)}<samlp:Extensions>${good}</samlp:Extensions>`)],
];

const evil = (facts: ResponseFacts, assertionId = '_evil'): string =>
  assertionXml({ ...facts, assertionId, nameId: 'root-1', attributes: { uid: ['root'] } });

for (const [title, wrap] of WRAPPINGS) {
  test(`wrapped: ${title}`, async (t) => {
    const begun = await begin(t.context);
    const good = signAssertion(responseXml({ ...begun.facts, attributes: { uid: ['ann'] } }), t.context.idp);
    const wrapped = wrap(good, begun.facts);
    t.true(wrapped.includes('root-1'));
    await t.throwsAsync(begun.driver.finish(encode(wrapped), begun.cookie), INVALID);
    t.is((await begun.driver.finish(encode(good), begun.cookie)).identity.username, 'ann');
  });
}

test('a comment in the name id does not cut it short', async (t) => {
  const begun = await begin(t.context);
  const nameId = 'admin@example.com.evil.example';
  const signed = signAssertion(responseXml({ ...begun.facts, nameId, attributes: { uid: [nameId] } }), t.context.idp);
  const cut = signed.replaceAll('admin@example.com.evil', 'admin@example.com<!-- -->.evil');
  // comments are no part of what is signed, so the answer is good; it must be read whole
  const { identity } = await begun.driver.finish(encode(cut), begun.cookie);
  t.true(identity.externalId.endsWith(`|${nameId}`));
  t.is(identity.username, nameId);
});

test('entities and type declarations', async (t) => {
  const bomb = `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">${Array.from({ length: 12 }, (_, level) => {
    const [name, part] = [String.fromCodePoint(98 + level), String.fromCodePoint(97 + level)];
    return `<!ENTITY ${name} "${`&${part};`.repeat(10)}">`;
  }).join('')}]>`;
  await refuses(t, (_begun, good) => bomb + change(good, '>ann<', '>&m;<'));
  await refuses(t, (_begun, good) => `<!DOCTYPE x SYSTEM "file:///etc/passwd">${good}`);
  await refuses(t, (_begun, good) => change(good, '>ann<', '>&xxe;<'));
});

test('what is no response at all', async (t) => {
  const begun = await begin(t.context);
  const nested = `${'<a>'.repeat(20_000)}${'</a>'.repeat(20_000)}`;
  for (const text of ['', 'x', '<a/>', '<samlp:Response/>', nested, responseXml(begun.facts, nested), 'x'.repeat(300_000)]) {
    await t.throwsAsync(begun.driver.finish(encode(text), begun.cookie), INVALID, text.slice(0, 40));
  }
  await t.throwsAsync(begun.driver.finish('%%%', begun.cookie), INVALID);
});
