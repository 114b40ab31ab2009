-- An organization can return from rate limits of its own to the default rates: its row is deleted.
set local lock_timeout = '5s';

grant delete on org_rate_limits to weir_app;
