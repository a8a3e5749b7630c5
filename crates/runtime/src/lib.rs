//! The one driver of sessions: awaits only a journal and a world.
