/** What help says of `savepoint daemon`; apart from what it does, which other commands need not load. */
export const DAEMON = {
  summary: 'the process that answers hooks: status, stop',
  description:
    'Hooks of agents are answered by one process of yours, so that an agent need not wait for one to start at each step. The ' +
    'first hook starts it, and it ends when nobody asked it anything for a while. `"daemon": "off"` in your configuration turns it off.',
  of: {
    status: { summary: 'tell whether it runs, and how long it takes', examples: ['savepoint daemon status'] },
    run: { summary: 'be it, until nobody asks any more', examples: ['savepoint daemon run --idle 60'] },
    stop: {
      summary: 'end it, once its work is done; the next hook starts another',
      examples: ['savepoint daemon stop'],
    },
  },
} as const;
