const PARTS = /^(postgres(?:ql)?:\/\/)([^/?#]*)([^?#]*)\??([^#]*)/;
const DEFAULT_PORT = '5432';

interface HostAndPort {
  readonly host: string;
  readonly port: string;
}

/** The colons of an IPv6 address are within brackets. */
const splitPort = (text: string): HostAndPort => {
  const colon = text.lastIndexOf(':');
  if (colon < 0 || text.endsWith(']')) return { host: text, port: DEFAULT_PORT };
  return { host: text.slice(0, colon), port: text.slice(colon + 1) || DEFAULT_PORT };
};

const withoutBrackets = (host: string): string => (host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host);

/**
 * The URL of a database in a form that URL parsers take: several hosts, such as `h1:5432,h2:5432`, become the parameters `host` and
 * `port`, as libpq has them too. A URL with one host stays as it is.
 */
export const withHostLists = (given: string): string => {
  const [, scheme = '', authority = '', path = '', query = ''] = PARTS.exec(given) ?? [];
  const endOfUser = authority.lastIndexOf('@') + 1;
  const list = authority.slice(endOfUser);
  if (!list.includes(',')) return given;
  const servers = list.split(',').map(splitPort);
  const parameters = new URLSearchParams(query);
  parameters.set('host', servers.map(({ host }) => withoutBrackets(host)).join(','));
  parameters.set('port', servers.map(({ port }) => port).join(','));
  return `${scheme}${authority.slice(0, endOfUser)}${servers[0]?.host}:${servers[0]?.port}${path}?${parameters}`;
};
