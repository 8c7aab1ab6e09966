// A steel bar of 1 m along x, 50 elements. To generate bar.msh:  gmsh -1 -format msh41 bar.geo
Point(1) = {0, 0, 0};
Point(2) = {0.5, 0, 0};
Point(3) = {1, 0, 0};
Line(1) = {1, 2};
Line(2) = {2, 3};
Transfinite Curve {1, 2} = 26; // nodes, so 25 elements each
Physical Point("left") = {1};
Physical Point("middle") = {2};
Physical Point("right") = {3};
Physical Curve("bar") = {1, 2};
