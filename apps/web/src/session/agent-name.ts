const BROWSERS = ['Edg', 'OPR', 'Firefox', 'Chrome', 'Safari'] as const;
const NAMES: Readonly<Record<string, string>> = { Edg: 'Edge', OPR: 'Opera' };
const SYSTEMS = ['Android', 'iPhone', 'iPad', 'Windows', 'Mac OS', 'Linux'] as const;
const MOST_CHARACTERS = 60;

/** A browser and its system in a few words, such as "Firefox · Linux", as far as the text that it sends tells them. */
export const agentName = (agent: string): string => {
  const browser = BROWSERS.find((name) => agent.includes(name));
  const system = SYSTEMS.find((name) => agent.includes(name));
  if (browser === undefined) return agent.slice(0, MOST_CHARACTERS);
  return [NAMES[browser] ?? browser, system].filter((part) => part !== undefined).join(' · ');
};
