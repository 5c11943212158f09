/** A part of an office file that cannot be read for certain, so that it cannot be said what it refers to. */
export class UnreadablePart extends Error {}
