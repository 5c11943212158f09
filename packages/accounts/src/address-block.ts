import ipaddr from 'ipaddr.js';

const NETWORK_PARTS = 4;

/** What counts as one address: the address itself, but of IPv6 its /64, as one subscriber may use all addresses of it. */
export const addressBlock = (address: string): string => {
  if (!ipaddr.IPv6.isValid(address)) return address;
  const parsed = ipaddr.process(address); // an IPv4 address mapped into IPv6 is that IPv4 address
  if (parsed.kind() === 'ipv4') return parsed.toString();
  const parts = (parsed as ipaddr.IPv6).parts.slice(0, NETWORK_PARTS);
  return `${parts.map((part) => part.toString(16)).join(':')}::/64`;
};
