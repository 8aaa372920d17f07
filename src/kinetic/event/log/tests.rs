//! What a log keeps.

use super::*;
use crate::id::Id;

#[test]
fn names_are_kept_with_events_alone() {
    for keeps in [false, true] {
        let mut log = EventLog::new(keeps);
        for number in 0..3 {
            log.name_body(BodyId::new(number, 1));
            log.name_pair(number, [BodyId::new(number, 1), BodyId::new(7, 2)]);
        }
        let expected = if keeps { 3 } else { 0 };
        assert_eq!([log.names.bodies.len(), log.names.pairs.len()], [expected; 2]);
    }
}
