import { makeAddressCheck, type OutboundPolicy } from '@sheaf/outbound';
import test from 'ava';

const OPEN: OutboundPolicy = { allowedNetworks: [], denyPrivate: false };

/** Those of the addresses that are refused. */
const refused = (addresses: readonly string[], policy: Partial<OutboundPolicy> = {}): readonly string[] => {
  const check = makeAddressCheck({ ...OPEN, ...policy });
  return addresses.filter((address) => check(address) !== undefined);
};

const METADATA = [
  '169.254.169.254',
  '169.254.0.1',
  'fe80::1',
  'fe80::1%eth0',
  'febf::1',
  'fd00:ec2::254',
  '100.100.100.200',
  '168.63.129.16',
];
const OWN_MACHINE = ['127.0.0.1', '127.255.255.254', '::1', '0.0.0.0', '0.1.2.3', '::'];
const NO_HOST = ['224.0.0.1', 'ff02::1', '255.255.255.255', '240.0.0.1', '192.0.2.1', '198.18.0.1', '2001:db8::1', '100::1', '2001::1'];
const PRIVATE = ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '100.64.0.1', 'fd12:3456::1', 'fec0::1'];
const PUBLIC = ['8.8.8.8', '172.32.0.1', '169.253.255.255', '2606:4700::1111', '64:ff9b::808:808', '2002:808:808::1', '::ffff:8.8.8.8'];

test('public addresses are open, whatever the policy', (t) => {
  t.deepEqual(refused(PUBLIC), []);
  t.deepEqual(refused(PUBLIC, { denyPrivate: true }), []);
});

test('private networks are open until OUTBOUND_DENY_PRIVATE closes them', (t) => {
  t.deepEqual(refused(PRIVATE), []);
  t.deepEqual(refused(PRIVATE, { denyPrivate: true }), PRIVATE);
});

test('this machine, and addresses that are no host, are closed', (t) => {
  t.deepEqual(refused([...OWN_MACHINE, ...NO_HOST]), [...OWN_MACHINE, ...NO_HOST]);
});

test('an allowed network opens this machine, reserved and private addresses, and nothing beside it', (t) => {
  const policy = { allowedNetworks: ['127.0.0.0/8', '::1', '198.18.0.0/15', '10.1.0.0/16'], denyPrivate: true };
  t.deepEqual(refused(['127.0.0.1', '::1', '198.18.0.1', '10.1.2.3', '::ffff:127.0.0.1', '64:ff9b::7f00:1'], policy), []);
  t.deepEqual(refused(['0.0.0.0', '10.2.0.1', '240.0.0.1'], policy), ['0.0.0.0', '10.2.0.1', '240.0.0.1']);
});

test('link-local and metadata addresses stay closed even where everything is allowed', (t) => {
  t.deepEqual(refused(METADATA, { allowedNetworks: ['0.0.0.0/0', '::/0'] }), METADATA);
});

test('an IPv4 address inside an IPv6 one is judged as what it is', (t) => {
  const disguised = ['::ffff:127.0.0.1', '::127.0.0.1', '64:ff9b::7f00:1', '2002:7f00:1::1', '::ffff:0:127.0.0.1'];
  t.deepEqual(refused(disguised), disguised);
  const metadata = [
    '::ffff:169.254.169.254',
    '64:ff9b::a9fe:a9fe',
    '2002:a9fe:a9fe::',
    '::ffff:100.100.100.200',
    '::ffff:0:169.254.169.254',
  ];
  t.deepEqual(refused(metadata, { allowedNetworks: ['0.0.0.0/0', '::/0'] }), metadata);
  t.deepEqual(refused(['::ffff:10.0.0.1', '64:ff9b::a00:1'], { denyPrivate: true }), ['::ffff:10.0.0.1', '64:ff9b::a00:1']);
});

test('a translation prefix whose length is not known hides nothing: it is closed as a whole', (t) => {
  t.deepEqual(refused(['64:ff9b:1:7f00:0:100::']), ['64:ff9b:1:7f00:0:100::']);
});

test('what is no address is closed', (t) => {
  t.deepEqual(refused(['', 'example.org', '1.2.3', '1.2.3.4.5']), ['', 'example.org', '1.2.3', '1.2.3.4.5']);
});

test('the reason names the kind of address, and the variable where that opens it', (t) => {
  const check = makeAddressCheck(OPEN);
  t.is(check('127.0.0.1'), 'a loopback address and not in OUTBOUND_ALLOWED_NETWORKS');
  t.is(check('169.254.169.254'), 'a link-local address');
  t.is(check('fd00:ec2::254'), 'a metadata address');
});
