/** A small part of a state, such as a plan: numbers, times and names. A change of it is an event. */
export type Fact = Readonly<Record<string, string | number | boolean | null>>;

/** By a key that stays the same, such as the id of a plan. */
export type Facts = Readonly<Record<string, Fact>>;
