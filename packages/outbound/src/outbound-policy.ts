import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Which addresses requests of ours may go to. */
export interface OutboundPolicy {
  /** OUTBOUND_ALLOWED_NETWORKS: CIDR or single addresses, allowed whatever they are, except where nothing ever is. */
  readonly allowedNetworks: readonly string[];
  /** OUTBOUND_DENY_PRIVATE. */
  readonly denyPrivate: boolean;
}

/** Says why an address is refused; undefined when it may be connected to. */
export type AddressCheck = (address: string) => string | undefined;

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = [Address, number];

const parseNetwork = (text: string): Network => {
  if (text.includes('/')) return ipaddr.parseCIDR(text);
  const address = ipaddr.parse(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
};

/** Where machines of the large clouds hand out credentials to whoever asks from inside. Link-local ones are covered by their range. */
const METADATA = ['100.100.100.200', '168.63.129.16', '192.0.0.192', 'fd00:ec2::254', 'fd20:ce::254'].map(parseNetwork);

const isIn = (address: Address, networks: readonly Network[]): boolean =>
  networks.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));

const isZero = (bytes: readonly number[]): boolean => bytes.every((byte) => byte === 0);

/** The IPv4 address that a gateway or the system itself would make of an IPv6 address. */
const embeddedIpv4 = (address: ipaddr.IPv6): ipaddr.IPv4 | undefined => {
  const bytes = address.toByteArray();
  const range = address.range();
  if (range === '6to4') return new ipaddr.IPv4(bytes.slice(2, 6));
  const isTranslated = range === 'ipv4Mapped' || range === 'rfc6145' || (range === 'rfc6052' && isZero(bytes.slice(4, 12)));
  const isCompatible = isZero(bytes.slice(0, 12)) && range !== 'unspecified' && range !== 'loopback';
  return isTranslated || isCompatible ? new ipaddr.IPv4(bytes.slice(12)) : undefined;
};

type AddressKind = 'public' | 'private' | 'loopback' | 'unspecified' | 'multicast' | 'broadcast' | 'link-local' | 'reserved';

/** By the ranges of the library; what is not listed here is set aside for something that is no host of anyone's. */
const KINDS: Readonly<Record<string, AddressKind>> = {
  unicast: 'public',
  private: 'private',
  uniqueLocal: 'private',
  carrierGradeNat: 'private',
  deprecatedSiteLocal: 'private',
  loopback: 'loopback',
  unspecified: 'unspecified',
  multicast: 'multicast',
  broadcast: 'broadcast',
  linkLocal: 'link-local',
};

const kindOf = (address: Address): AddressKind => KINDS[address.range()] ?? 'reserved';

/** Throws when a network of the policy is none; the configuration checks that first. */
export const makeAddressCheck = ({ allowedNetworks, denyPrivate }: OutboundPolicy): AddressCheck => {
  const allowed = allowedNetworks.map(parseNetwork);
  return (text) => {
    if (isIP(text) === 0) return 'no address';
    const address = ipaddr.parse(text);
    const embedded = address instanceof ipaddr.IPv6 ? embeddedIpv4(address) : undefined;
    const forms = embedded === undefined ? [address] : [address, embedded];
    if (forms.some((form) => isIn(form, METADATA))) return 'a metadata address';
    if (forms.some((form) => kindOf(form) === 'link-local')) return 'a link-local address';
    if (forms.some((form) => isIn(form, allowed))) return undefined;
    const kind = kindOf(embedded ?? address);
    if (kind === 'public' || (kind === 'private' && !denyPrivate)) return undefined;
    return `a ${kind} address and not in OUTBOUND_ALLOWED_NETWORKS`;
  };
};
