import { isIP } from 'node:net';

/** Whether `text` is an address, or a network such as 10.0.0.0/8. */
export const isNetwork = (text: string): boolean => {
  const [address = '', bits, ...rest] = text.split('/');
  const width = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  return rest.length === 0 && width > 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= width));
};

/** Whether `text` is an address or can be the name of a host: without a scheme, a port, and the brackets of IPv6. */
export const isHost = (text: string): boolean => isIP(text) !== 0 || /^[A-Za-z0-9_]([A-Za-z0-9_.-]{0,251}[A-Za-z0-9_.])?$/.test(text);
