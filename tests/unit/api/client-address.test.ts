import { addressBlock } from '@sheaf/accounts';
import { clientAddress } from '@sheaf/api/testing';
import test from 'ava';

const requestFrom = (ip: string | undefined, remoteAddress = '192.0.2.200') =>
  ({ ip, socket: { remoteAddress } }) as unknown as Parameters<typeof clientAddress>[0];

test('an address comes in its usual spelling', (t) => {
  for (const [given, expected] of [
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['192.0.2.1:5555', '192.0.2.1'],
    ['2001:DB8:0::1', '2001:db8::1'],
    ['[2001:db8::1]:443', '2001:db8::1'],
  ] as const)
    t.is(clientAddress(requestFrom(given)), expected, given);
});

test('what is no address is not believed', (t) => {
  for (const given of ['unknown', "1' or '1'='1", '0x7f.1', '1234', '', undefined]) t.is(clientAddress(requestFrom(given)), '192.0.2.200');
});

test('an IPv4 address holds for itself, an IPv6 address for its network', (t) => {
  t.is(addressBlock('192.0.2.1'), '192.0.2.1');
  t.is(addressBlock('2001:db8:1:2:3:4:5:6'), '2001:db8:1:2::/64');
  t.is(addressBlock('2001:db8:1:2::99'), addressBlock('2001:db8:1:2:ffff::1'));
  t.not(addressBlock('2001:db8:1:2::1'), addressBlock('2001:db8:1:3::1'));
});
