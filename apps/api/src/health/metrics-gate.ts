import { BlockList, isIP } from 'node:net';

const family = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** Whether an address may ask for metrics: those of `networks` may (CIDR or single addresses), and every one where none are named. */
export const makeMetricsGate = (networks: readonly string[]): ((address: string | undefined) => boolean) => {
  if (networks.length === 0) return () => true;
  const allowed = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    if (bits === undefined) allowed.addAddress(address, family(address));
    else allowed.addSubnet(address, Number(bits), family(address));
  }
  return (address) => address !== undefined && isIP(address) !== 0 && allowed.check(address, family(address));
};
