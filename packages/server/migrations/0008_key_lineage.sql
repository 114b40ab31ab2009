set local lock_timeout = '5s';

-- The lineage of a key: the id of the first key of its chain of rotations, its own where it was not made by rotation. What
-- belongs to a caller belongs to its lineage, so that it outlives the rotation of a secret.
alter table api_keys add column lineage_id uuid;

with recursive chain (org_id, id, lineage_id) as (
  select org_id, id, id from api_keys k
   where not exists (select from api_keys f where f.org_id = k.org_id and f.id = k.rotated_from)
  union all
  select k.org_id, k.id, c.lineage_id from api_keys k join chain c on c.org_id = k.org_id and c.id = k.rotated_from
)
update api_keys k set lineage_id = c.lineage_id from chain c where k.org_id = c.org_id and k.id = c.id;

alter table api_keys alter column lineage_id set not null;
create index api_keys_lineage on api_keys (org_id, lineage_id);
create index api_keys_minted_by on api_keys (org_id, minted_by) where minted_by is not null;

-- Processes of the version before do not name the lineage of a key that they mint.
create function fill_key_lineage() returns trigger language plpgsql as $$
begin
  if new.lineage_id is null then
    new.lineage_id := coalesce(
      (select k.lineage_id from api_keys k where k.org_id = new.org_id and k.id = new.rotated_from), new.id);
  end if;
  return new;
end
$$;
create trigger fill_lineage before insert on api_keys for each row execute function fill_key_lineage();

-- The look-up of a caller with its lineage; a support grant is its own. find_caller stays for processes of the version before,
-- whose prepared statements would not survive another shape.
create function caller_by_id(wanted uuid) returns table (
  kind text, org_id uuid, id uuid, lineage_id uuid, role text, scopes text[], pins jsonb, mac bytea, mac_key_id text,
  not_before timestamptz, expires_at timestamptz, revoked_at timestamptz, grant_scope text, operator_key_id uuid,
  org_status text, ip_allow_list text[], required_dimensions text[], home_region text, residency text,
  read_rpm integer, on_unavailable text, policies jsonb
)
  language sql stable security definer set search_path = public
  begin atomic
    with caller as (
      select 'key' as kind, k.org_id, k.id, k.lineage_id, k.role, k.scopes, k.pins, k.mac, k.mac_key_id, k.not_before,
             k.expires_at, k.revoked_at, null::text as grant_scope, null::uuid as operator_key_id
        from api_keys k where k.id = wanted
      union all
      select 'support', g.org_id, g.id, g.id, 'operator', '{}', '{}', g.mac, g.mac_key_id, null, g.expires_at,
             g.revoked_at, g.scope, g.operator_key_id
        from support_grants g where g.id = wanted
    )
    select c.*, o.status, o.ip_allow_list, o.required_dimensions, o.home_region, o.residency, r.read_rpm, r.on_unavailable,
           coalesce((select jsonb_agg(jsonb_build_object('id', p.id, 'kind', p.kind, 'per', p.per, 'match', p.match,
                                                         'amount', p.amount, 'window_seconds', p.window_seconds) order by p.id)
                       from rate_limit_policies p where p.org_id = c.org_id), '[]')
      from caller c join orgs o on o.id = c.org_id left join org_rate_limits r on r.org_id = c.org_id;
  end;
revoke execute on function caller_by_id(uuid) from public;
grant execute on function caller_by_id(uuid) to weir_app;
