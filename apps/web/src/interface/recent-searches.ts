/** What was searched for in this browser, the latest first. */
const KEY = 'sheaf-recent-searches';
const MOST = 8;

export const recentSearches = (): readonly string[] => {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(kept) ? kept.map(String).slice(0, MOST) : [];
  } catch {
    return [];
  }
};

export const keepRecentSearch = (query: string): void => {
  try {
    localStorage.setItem(KEY, JSON.stringify([query, ...recentSearches().filter((one) => one !== query)].slice(0, MOST)));
  } catch {
    // no storage: then nothing is remembered
  }
};

/** What a person has searched for is nobody else's, who signs in with the same browser. */
export const forgetSearches = (): void => {
  try {
    localStorage.removeItem(KEY);
  } catch {
    // nothing was remembered
  }
};
